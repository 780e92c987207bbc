//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension JournalError {
    /// What is wrong with a journal, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case notUTF8, controlCharacter, lineTooLong
            case unknownLine, unexpectedIndentation, unsupportedDirective, invalidDirective
            case invalidDate, dateWithoutYear, secondaryDate, unclosedCode
            case missingAccount, tabInAccount, virtualPosting
            case invalidAmount, invalidNumber, numberTooLong, exponent, invalidCommodity
            case lotPrice, unsupportedAssertion, balanceAssignment, failedAssertion
            case automatedTransaction, periodicTransaction
        }
        private let kind: Kind

        /// The bytes are not UTF-8.
        public static let notUTF8 = Code(kind: .notUTF8)

        /// A control character other than white space: the file is hardly text.
        public static let controlCharacter = Code(kind: .controlCharacter)

        /// The line is longer than the parser reads.
        public static let lineTooLong = Code(kind: .lineTooLong)

        /// The line starts with nothing that a journal knows.
        public static let unknownLine = Code(kind: .unknownLine)

        /// An indented line stands where nothing above it takes one.
        public static let unexpectedIndentation = Code(kind: .unexpectedIndentation)

        /// The directive would change what follows, in a way that is not supported.
        public static let unsupportedDirective = Code(kind: .unsupportedDirective)

        /// The directive is known but what follows it is not understood.
        public static let invalidDirective = Code(kind: .invalidDirective)

        /// The date is malformed or names a day that does not exist.
        public static let invalidDate = Code(kind: .invalidDate)

        /// The date leaves out its year.
        public static let dateWithoutYear = Code(kind: .dateWithoutYear)

        /// The date is followed by a second one after `=`.
        public static let secondaryDate = Code(kind: .secondaryDate)

        /// The code of a transaction has no closing parenthesis.
        public static let unclosedCode = Code(kind: .unclosedCode)

        /// The posting names no account.
        public static let missingAccount = Code(kind: .missingAccount)

        /// A lone tab stands within an account, where Ledger and hledger disagree about its meaning.
        public static let tabInAccount = Code(kind: .tabInAccount)

        /// The account is in parentheses or brackets.
        public static let virtualPosting = Code(kind: .virtualPosting)

        /// What stands after the account is no amount, or something stands after the amount.
        public static let invalidAmount = Code(kind: .invalidAmount)

        /// The digits and their marks form no number.
        public static let invalidNumber = Code(kind: .invalidNumber)

        /// The number has more digits than a quantity holds.
        public static let numberTooLong = Code(kind: .numberTooLong)

        /// The number is written with an exponent.
        public static let exponent = Code(kind: .exponent)

        /// The symbol of the commodity is not understood.
        public static let invalidCommodity = Code(kind: .invalidCommodity)

        /// A lot price or lot date follows the amount.
        public static let lotPrice = Code(kind: .lotPrice)

        /// A balance assertion of more than one commodity or account follows the amount.
        public static let unsupportedAssertion = Code(kind: .unsupportedAssertion)

        /// A balance stands where an amount is missing, to be computed from it.
        public static let balanceAssignment = Code(kind: .balanceAssignment)

        /// The account does not have the balance that the journal claims.
        public static let failedAssertion = Code(kind: .failedAssertion)

        /// The line starts an automated transaction.
        public static let automatedTransaction = Code(kind: .automatedTransaction)

        /// The line starts a periodic transaction.
        public static let periodicTransaction = Code(kind: .periodicTransaction)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }
}
