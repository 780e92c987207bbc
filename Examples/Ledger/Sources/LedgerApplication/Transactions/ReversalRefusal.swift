// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace
import LedgerBooks

/// An error that is thrown if a transaction can't be reversed.
///
/// Branch on ``code``, log ``message``. New codes may appear in minor releases.
public struct ReversalRefusal: CodedError {
    /// The reason, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case alreadyReversed, beforeOriginal }

        private let kind: Kind

        /// The transaction was reversed before.
        public static let alreadyReversed = Code(kind: .alreadyReversed)

        /// The date of the reversal is before the date of the transaction.
        public static let beforeOriginal = Code(kind: .beforeOriginal)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }

    /// The reason.
    public let code: Code

    /// The cause and the remedy, one sentence each.
    public let message: String

    /// The identifier of the transaction that can't be reversed.
    public let transaction: UUID

    /// The identifier of the existing reversal; `nil` unless the code is ``Code/alreadyReversed``.
    public let reversal: UUID?

    static func alreadyReversed(_ transaction: UUID, by reversal: UUID) -> ReversalRefusal {
        ReversalRefusal(
            code: .alreadyReversed,
            message:
                "The transaction \(transaction) is already reversed by the transaction \(reversal). To fix, leave it, or "
                + "reverse \(reversal) to restore the effect of the first transaction.",
            transaction: transaction,
            reversal: reversal
        )
    }

    static func beforeOriginal(_ transaction: UUID, of day: BookDate, on date: BookDate) -> ReversalRefusal {
        ReversalRefusal(
            code: .beforeOriginal,
            message:
                "The transaction \(transaction) has the date \(day), so it can't be reversed on \(date). To fix, use "
                + "\(day) or a later date.",
            transaction: transaction,
            reversal: nil
        )
    }
}
