// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace
public import LedgerBooks

/// Corrects a transaction: posts another transaction with the opposite amounts, the reversal.
///
/// Nothing is deleted or changed in the books. The two transactions refer to each other by ``Transaction/reverses`` and
/// ``Transaction/reversedBy``. A transaction is reversed at most once. A reversal is a transaction like others, so it
/// can be reversed too, which restores the effect of the first transaction.
///
/// The rules of the accounts apply. A later import of the same journal posts neither the transaction nor its reversal
/// again, and a standing order doesn't repeat a payment that was reversed.
///
/// The result is the identifier of the reversal. With the same ``id``, the command has the same result each time.
public struct ReverseTransaction: CQDCommand, Codable {
    /// The identifier of the reversal.
    public typealias Output = UUID

    /// The identifier of the transaction to reverse.
    public let transaction: UUID

    /// The date of the reversal; `nil` for today, or for the date of the transaction if that is later.
    public let date: BookDate?

    /// The reason, as the comment of the reversal; empty for none.
    public let comment: String

    /// The identifier of the reversal; `nil` for a new identifier.
    public let id: UUID?

    /// Creates the command.
    public init(_ transaction: UUID, on date: BookDate? = nil, comment: String = "", id: UUID? = nil) {
        self.transaction = transaction
        self.date = date
        self.comment = comment
        self.id = id
    }
}

/// Handles ``ReverseTransaction``.
public final class ReverseTransactionHandler: HandlesCommand, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the command.
    ///
    /// - Throws: ``UnknownTransaction``; ``ReversalRefusal``; ``AccountRefusal`` if the reversal breaks the rule of an
    ///   account; `PostingRefusal` with the code `overflow` if totals can't hold the amounts; `StoreError`.
    public func handle(_ command: ReverseTransaction) async throws -> UUID {
        guard let original = try await context.find(Transaction.self, id: command.transaction) else {
            throw UnknownTransaction(id: command.transaction)
        }
        if let reversal = original.reversedBy, reversal == command.id { return reversal }
        let reversal = try original.reverse(
            on: command.date ?? max(BookDate.today ?? original.date, original.date),
            comment: command.comment,
            as: command.id ?? .version7()
        )
        var bookkeeper = Bookkeeper(in: context)
        try await bookkeeper.post(reversal, scales: [:])
        try bookkeeper.finish()
        return reversal.id
    }
}

extension BookDate {
    /// The current day in the time zone of the current `SystemValues`; `nil` after the year 9999.
    fileprivate static var today: BookDate? {
        let values = SystemValues.current
        let style = Date.ISO8601FormatStyle(timeZone: values.calendar.timeZone).year().month().day()
        return BookDate(values.date().formatted(style))
    }
}
