//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A clock whose instants are those of `ContinuousClock`, so that a deadline means the same to all of them.
///
/// `ContinuousClock` is one; the clock of `HeadraceTesting`, which a test moves, is another.
public protocol TimeSource: Clock where Instant == ContinuousClock.Instant {}

extension ContinuousClock: TimeSource {}
