// SPDX-License-Identifier: Apache-2.0

extension JournalError {
    /// The kind of an error in a journal, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case notUTF8, controlCharacter, lineTooLong
            case unknownLine, unexpectedIndentation, unsupportedDirective, invalidDirective
            case invalidDate, dateWithoutYear, unclosedCode
            case missingAccount, tabInAccount, accountTooLong, virtualPosting
            case invalidAmount, invalidNumber, ambiguousNumber, numberTooLong, exponent, invalidCommodity
            case lotPrice, balanceAssignment, failedAssertion
        }
        private let kind: Kind

        /// The bytes aren't UTF-8.
        public static let notUTF8 = Code(kind: .notUTF8)

        /// The file contains a control character other than white space, so it is probably no text.
        public static let controlCharacter = Code(kind: .controlCharacter)

        /// The line is longer than the maximum.
        public static let lineTooLong = Code(kind: .lineTooLong)

        /// The start of the line is unknown.
        public static let unknownLine = Code(kind: .unknownLine)

        /// The line is indented, but doesn't belong to a transaction or directive above it.
        public static let unexpectedIndentation = Code(kind: .unexpectedIndentation)

        /// The directive would change the lines after it and isn't supported.
        public static let unsupportedDirective = Code(kind: .unsupportedDirective)

        /// The argument of the directive is invalid.
        public static let invalidDirective = Code(kind: .invalidDirective)

        /// The date is malformed or doesn't exist.
        public static let invalidDate = Code(kind: .invalidDate)

        /// The date has no year, and no directive before it has set one.
        public static let dateWithoutYear = Code(kind: .dateWithoutYear)

        /// The code of a transaction has no closing parenthesis.
        public static let unclosedCode = Code(kind: .unclosedCode)

        /// The posting has no account.
        public static let missingAccount = Code(kind: .missingAccount)

        /// An account contains a single tab.
        ///
        /// Ledger and hledger interpret it differently.
        public static let tabInAccount = Code(kind: .tabInAccount)

        /// An account has too many bytes or levels, or the directives of the journal make accounts too long altogether.
        public static let accountTooLong = Code(kind: .accountTooLong)

        /// The postings in brackets don't balance each other.
        public static let virtualPosting = Code(kind: .virtualPosting)

        /// The text after the account isn't an amount, or there is more text after the amount.
        public static let invalidAmount = Code(kind: .invalidAmount)

        /// The digits and marks aren't a number.
        public static let invalidNumber = Code(kind: .invalidNumber)

        /// The only mark of the number can be a decimal mark, or separate a digit group.
        ///
        /// Such numbers are refused outside of journals only, where no directive can tell the decimal mark.
        public static let ambiguousNumber = Code(kind: .ambiguousNumber)

        /// The number has more digits than a quantity holds.
        public static let numberTooLong = Code(kind: .numberTooLong)

        /// The number has an exponent beside digit groups or outside of a journal.
        public static let exponent = Code(kind: .exponent)

        /// The symbol of the commodity is invalid.
        public static let invalidCommodity = Code(kind: .invalidCommodity)

        /// The lot price or lot date after the amount is invalid.
        public static let lotPrice = Code(kind: .lotPrice)

        /// The amount of a posting can't be computed from its balance.
        public static let balanceAssignment = Code(kind: .balanceAssignment)

        /// A balance assertion fails.
        public static let failedAssertion = Code(kind: .failedAssertion)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }
}
