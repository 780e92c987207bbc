//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Something that a store does within the transaction of a commit, in its own terms: plain SQL, say.
///
/// Each store documents which work it takes; it refuses other work with ``StoreError/Code/unsupportedWork``.
public protocol StoreWork: Sendable {}
