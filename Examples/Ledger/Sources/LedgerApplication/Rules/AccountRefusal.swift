//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
import LedgerBooks

/// An error raised when what is to be stored would break the rule of an account; nothing is stored then.
///
/// Branch on ``code-swift.property``, log ``description``. Later releases may add codes.
public struct AccountRefusal: Error, Sendable, CustomStringConvertible {
    /// Which rule is broken, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case belowZero, closed }

        private let kind: Kind

        /// There would be less than nothing on the account.
        public static let belowZero = Code(kind: .belowZero)

        /// The account is closed on the day.
        public static let closed = Code(kind: .closed)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }

    /// Which rule is broken.
    public let code: Code

    /// What happened and how to fix it, in one sentence each.
    public let message: String

    /// The full name of the account.
    public let account: String

    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    static func belowZero(_ account: String, balance: Amount) -> AccountRefusal {
        AccountRefusal(
            code: .belowZero,
            message: "'\(account)' would come to \(balance), and may not fall below zero. To fix, post less, or "
                + "change the rule of the account.",
            account: account
        )
    }

    static func closed(_ account: String, from day: BookDate, on date: BookDate) -> AccountRefusal {
        AccountRefusal(
            code: .closed,
            message: "'\(account)' is closed from \(day) on, so nothing can be posted to it on \(date). To fix, post "
                + "it on an earlier day, or change the rule of the account.",
            account: account
        )
    }
}

extension AccountRefusal: CodedError {
    /// The name of ``code-swift.property``.
    public var codeName: String { code.description }
}
