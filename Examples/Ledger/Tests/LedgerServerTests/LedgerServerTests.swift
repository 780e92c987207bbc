//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

/// The tests with servers.
///
/// They are serialized, so that they don't slow each other down.
@Suite(.serialized) enum LedgerServerTests {}
