//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import LedgerBooks

/// Says that the books have no such account.
public struct UnknownAccount: Error, Sendable, CustomStringConvertible {
    /// The account that was asked for.
    public let account: String

    /// All accounts that there are.
    public let known: [String]

    /// What happened, and the names that come close.
    public var description: String {
        let wanted = account.lowercased().composed
        let close = known.filter { $0.lowercased().composed.contains(wanted) }.prefix(3).map { "'\($0)'" }
        let hint =
            close.isEmpty
            ? "'ledger accounts' lists those that there are" : "did you mean \(close.joined(separator: ", "))?"
        return "The books have no account '\(account)'. To fix, give its full name: \(hint)"
    }
}
