// SPDX-License-Identifier: Apache-2.0

import Headrace
import LedgerBooks

/// The transactions of a period in pages, with at most a few hundred of them in memory.
///
/// Each page is a separate read. A transaction that is posted meanwhile may be in a later page or not; each transaction
/// is in at most one.
struct TransactionPages {
    /// Maximum number of transactions in a page.
    static let size = 256

    private let store: any EntityStore
    private let conditions: [EntityCondition<Transaction>]
    private let order: EntityOrder<Transaction>

    /// Creates the pages of the transactions in `period` with a posting to one of `accounts`; `nil` for all accounts.
    init(
        of store: any EntityStore,
        in period: BookPeriod,
        accounts: Set<String>? = nil,
        isDescending: Bool = false
    ) {
        self.store = store
        var conditions: [EntityCondition<Transaction>] = []
        if let accounts { conditions.append(.isOneOf(.account, Array(accounts))) }
        if let begin = period.begin { conditions.append(.isAtLeast(.date, begin.description)) }
        if let end = period.end { conditions.append(.isBelow(.date, end.description)) }
        self.conditions = conditions
        order = isDescending ? .descending(.date) : .ascending(.date)
    }

    /// Returns the transactions after `cursor`, at most `limit`, and the cursor of the next page.
    ///
    /// - Throws: `StoreError`, with the code `foreignCursor` if `cursor` belongs to another order; `CancellationError`.
    func page(after cursor: PageCursor?, limit: Int = size) async throws -> EntityPage<Transaction> {
        try Task.checkCancellation()
        // A new context for each page, because a context keeps the entities that it has read.
        return try await EntityContext(store)
            .page(Transaction.self, where: conditions, orderedBy: order, after: cursor, limit: limit)
    }

    /// Calls `body` with each transaction, in order.
    ///
    /// - Throws: The errors of ``page(after:limit:)`` and of `body`.
    func forEach(_ body: (Transaction) throws -> Void) async throws {
        var cursor: PageCursor?
        repeat {
            let page = try await page(after: cursor)
            for transaction in page.entities { try body(transaction) }
            cursor = page.next
        } while cursor != nil
    }
}
