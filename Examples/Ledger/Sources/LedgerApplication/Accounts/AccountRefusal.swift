// SPDX-License-Identifier: Apache-2.0

public import Headrace
import LedgerBooks

/// An error that is thrown if a change would break the rule of an account.
///
/// Nothing is stored.
///
/// Branch on ``code-swift.property``, log ``message``. Later releases may add codes.
public struct AccountRefusal: CodedError {
    /// The broken rule, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case belowZero, closed }

        private let kind: Kind

        /// The balance would be negative.
        public static let belowZero = Code(kind: .belowZero)

        /// The account is closed on the date of the transaction.
        public static let closed = Code(kind: .closed)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }

    /// The broken rule.
    public let code: Code

    /// The cause and the remedy, one sentence each.
    public let message: String

    /// The full name of the account.
    public let account: String

    static func belowZero(_ account: String, balance: Amount, ruledBy owner: String) -> AccountRefusal {
        let rule = owner == account ? "its rule" : "the rule of '\(owner)'"
        return AccountRefusal(
            code: .belowZero,
            message:
                "The balance of '\(account)' would be \(balance), but \(rule) forbids a negative balance. To fix, post "
                + "less, or change the rule of \(owner == account ? "the account" : "'\(owner)'").",
            account: account
        )
    }

    static func closed(
        _ account: String, from day: BookDate, on date: BookDate, ruledBy owner: String
    ) -> AccountRefusal {
        let rule = owner == account ? "" : " by the rule of '\(owner)'"
        return AccountRefusal(
            code: .closed,
            message:
                "'\(account)' is closed since \(day)\(rule), so nothing can be posted to it on \(date). To fix, use an "
                + "earlier date, or change the rule of \(owner == account ? "the account" : "'\(owner)'").",
            account: account
        )
    }
}
