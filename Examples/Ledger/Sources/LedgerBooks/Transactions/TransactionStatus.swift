//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How far a transaction or a posting has been checked against the outside world.
public enum TransactionStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// No mark was written.
    case unmarked

    /// Marked `!`: it needs another look.
    case pending

    /// Marked `*`: it is settled.
    case cleared
}
