// SPDX-License-Identifier: Apache-2.0

/// An error that is thrown if a transaction can't be posted.
///
/// Branch on ``code``, log ``message``. New codes may appear in minor releases.
public struct PostingRefusal: Error, Sendable, CustomStringConvertible {
    /// The reason, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case noPostings, singlePosting, emptyAccount, costWithoutAmount, severalElidedAmounts, unbalanced, overflow
            case changedAssignment, emptyLevel, directionControl
        }
        private let kind: Kind

        /// The transaction has no postings.
        public static let noPostings = Code(kind: .noPostings)

        /// The transaction has only one posting, so it can't be balanced.
        public static let singlePosting = Code(kind: .singlePosting)

        /// A posting has no account.
        public static let emptyAccount = Code(kind: .emptyAccount)

        /// A posting has a cost but no amount.
        public static let costWithoutAmount = Code(kind: .costWithoutAmount)

        /// More than one posting has no amount.
        public static let severalElidedAmounts = Code(kind: .severalElidedAmounts)

        /// The sum of the postings isn't zero.
        public static let unbalanced = Code(kind: .unbalanced)

        /// A sum, a cost, or an amount has too many digits.
        public static let overflow = Code(kind: .overflow)

        /// The transaction was posted before, with other amounts that followed from balances.
        public static let changedAssignment = Code(kind: .changedAssignment)

        /// An account has a level without a name.
        public static let emptyLevel = Code(kind: .emptyLevel)

        /// The name of an account or commodity has an invisible character that changes the direction of text.
        public static let directionControl = Code(kind: .directionControl)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }

    /// The reason.
    public let code: Code

    /// The cause and the remedy, one sentence each.
    public let message: String

    /// The sums of the postings that should be zero, by commodity.
    ///
    /// Empty unless the code is ``Code/unbalanced``.
    public let imbalance: [Amount]

    /// The arithmetic error, if the code is ``Code/overflow``.
    public let cause: QuantityError?

    /// The code and the message, for logs.
    public var description: String { message }

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
        message: "The transaction has no postings. To fix, add at least two."
    )

    static func singlePosting(to account: String) -> Self {
        Self(
            code: .singlePosting,
            message: "The only posting is to '\(account)'. To fix, add a posting for the opposite amount."
        )
    }

    static func emptyAccount(at number: Int) -> Self {
        Self(code: .emptyAccount, message: "Posting \(number) has no account. To fix, add its account.")
    }

    static func emptyLevel(in account: String) -> Self {
        Self(
            code: .emptyLevel,
            message: "The account '\(account)' has an empty level. To fix, write a name before and after each ':'."
        )
    }

    static func directionControl(in kind: String, _ name: String) -> Self {
        let scalars = name.unicodeScalars
        let numbers = scalars.filter(\.properties.isBidiControl).map { String($0.value, radix: 16, uppercase: true) }
        let number = numbers.first.map { String(repeating: "0", count: max(0, 4 - $0.utf8.count)) + $0 } ?? ""
        let shown = String(String.UnicodeScalarView(scalars.map { $0.properties.isBidiControl ? "\u{FFFD}" : $0 }))
        return Self(
            code: .directionControl,
            message: "The \(kind) '\(shown)' has the invisible character U+\(number), which changes the direction of "
                + "text, so the name can look like another. To fix, remove the character."
        )
    }

    static func costWithoutAmount(of account: String) -> Self {
        Self(
            code: .costWithoutAmount,
            message: "The posting to '\(account)' has a cost but no amount. To fix, add the amount, or remove the cost."
        )
    }

    static func severalElidedAmounts(of accounts: [String]) -> Self {
        let names = accounts.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
        return Self(
            code: .severalElidedAmounts,
            message: "\(accounts.count) postings have no amount (\(names)\(accounts.count > 3 ? ", …" : "")). "
                + "To fix, omit at most one amount. Two spaces or more separate an account from its amount."
        )
    }

    static func unbalanced(by imbalance: [Amount]) -> Self {
        let sums = imbalance.prefix(5).map(\.description).joined(separator: ", ")
        return Self(
            code: .unbalanced,
            message: "The postings add up to \(sums)\(imbalance.count > 5 ? ", …" : "") instead of zero. "
                + "To fix, correct an amount, or omit one amount to have it computed.",
            imbalance: imbalance
        )
    }

    static func overflow(_ cause: QuantityError) -> Self {
        Self(code: .overflow, message: "The transaction can't be summed: \(cause.message)", cause: cause)
    }

    /// An error for a transaction that was posted as `postings`, before its amounts changed with its balances to those of
    /// `current`.
    ///
    /// The message names the changed postings, or all if none has another amount. Without `postings`, it names none.
    public static func changedAssignment(of postings: [Posting], to current: [Posting]) -> Self {
        let changed = postings.filter { !current.contains($0) }
        let named = (changed.isEmpty ? postings : changed).prefix(8)
        let list = named.map { "\($0.amount) to '\($0.account)'" }.joined(separator: ", ")
        let amounts = list.isEmpty ? "" : ", as \(list)"
        return Self(
            code: .changedAssignment,
            message: "The transaction was posted before\(amounts)\(postings.count > named.count ? ", …" : ""). Its "
                + "balance assignment means other amounts now, because earlier transactions were added or changed. To fix, "
                + "write the posted amount in place of the balance assignment."
        )
    }

    /// An error for `amount` on `account`: totals of the commodity would need the digits `range`, which are too many.
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
