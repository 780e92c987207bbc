//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error raised when a transaction cannot be posted as it stands.
///
/// Branch on ``code``, log ``description``. New codes may appear in minor releases.
public struct PostingRefusal: Error, Sendable, CustomStringConvertible {
    /// Why the transaction is refused, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case noPostings, singlePosting, emptyAccount, costWithoutAmount, severalElidedAmounts, unbalanced, overflow
        }
        private let kind: Kind

        /// The transaction has no postings at all.
        public static let noPostings = Code(kind: .noPostings)

        /// The transaction has one posting, so nothing stands against it.
        public static let singlePosting = Code(kind: .singlePosting)

        /// A posting names no account.
        public static let emptyAccount = Code(kind: .emptyAccount)

        /// A posting has a cost but no amount that could have cost it.
        public static let costWithoutAmount = Code(kind: .costWithoutAmount)

        /// More than one posting leaves its amount out.
        public static let severalElidedAmounts = Code(kind: .severalElidedAmounts)

        /// The postings do not add up to zero.
        public static let unbalanced = Code(kind: .unbalanced)

        /// An exact sum or cost needs more digits than a quantity holds, or an amount more than totals can hold.
        public static let overflow = Code(kind: .overflow)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }

    /// Why the transaction is refused.
    public let code: Code

    /// What happened and how to fix it, in one sentence each.
    public let message: String

    /// What the postings add up to instead of zero, an amount for each commodity that is off.
    ///
    /// Empty unless the code is ``Code/unbalanced``.
    public let imbalance: [Amount]

    /// The error of exact arithmetic behind ``Code/overflow``, or nil.
    public let cause: QuantityError?

    /// The code and the message, for logs.
    public var description: String { "\(code): \(message)" }

    private init(code: Code, message: String, imbalance: [Amount] = [], cause: QuantityError? = nil) {
        self.code = code
        self.message = message
        self.imbalance = imbalance
        self.cause = cause
    }
}

extension PostingRefusal {
    static let noPostings = Self(
        code: .noPostings,
        message: "The transaction has no postings. Add at least two."
    )

    static func singlePosting(to account: String) -> Self {
        Self(
            code: .singlePosting,
            message: "The only posting is to '\(account)'. Add a posting that says where the amount comes from."
        )
    }

    static func emptyAccount(at number: Int) -> Self {
        Self(code: .emptyAccount, message: "Posting \(number) names no account. Write an account before the amount.")
    }

    static func costWithoutAmount(of account: String) -> Self {
        Self(
            code: .costWithoutAmount,
            message: "The posting to '\(account)' has a cost but no amount. Give the amount, or drop the cost."
        )
    }

    static func severalElidedAmounts(of accounts: [String]) -> Self {
        let names = accounts.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
        return Self(
            code: .severalElidedAmounts,
            message: "\(accounts.count) postings have no amount (\(names)\(accounts.count > 3 ? ", …" : "")). "
                + "Leave out one amount at most; two spaces or more part an account from its amount."
        )
    }

    static func unbalanced(by imbalance: [Amount]) -> Self {
        let sums = imbalance.prefix(5).map(\.description).joined(separator: ", ")
        return Self(
            code: .unbalanced,
            message: "The postings add up to \(sums)\(imbalance.count > 5 ? ", …" : "") instead of zero. "
                + "Correct an amount, or leave one out to have it filled in.",
            imbalance: imbalance
        )
    }

    static func overflow(_ cause: QuantityError) -> Self {
        Self(code: .overflow, message: "The transaction cannot be added up: \(cause.message)", cause: cause)
    }

    /// Refuses `amount` on `account`, as totals of its commodity would need `range`, which doesn't fit.
    public static func beyondTotals(_ amount: Amount, on account: String, needing range: DigitRange) -> Self {
        let most = Quantity.maximumDigits - DigitRange.carryDigits
        return Self(
            code: .overflow,
            message: "The posting of \(amount) to '\(account)' is too large or too fine: totals of the commodity would "
                + "need \(range.integerDigits) digits before the point and \(range.fractionDigits) after it, and hold "
                + "\(most) together. To fix, use smaller numbers, fewer digits after the point, or another commodity.",
            cause: .overflow("the totals of \(amount.commodity.isEmpty ? "plain numbers" : amount.commodity)")
        )
    }
}
