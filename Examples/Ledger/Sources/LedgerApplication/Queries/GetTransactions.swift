// SPDX-License-Identifier: Apache-2.0

public import Headrace
public import LedgerBooks

/// Returns a page of the transactions that match all conditions.
///
/// A query of a later page costs as much as a query of the first page. If only few transactions have the texts, a query
/// reads many transactions, but keeps only a few hundred of them in memory.
public struct GetTransactions: CQDQuery {
    /// A page of transactions.
    public struct Page: Sendable, Hashable {
        /// The transactions.
        public let transactions: [GetTransaction.Posted]

        /// The cursor of the next page; `nil` on the last page.
        ///
        /// A page of a search can have fewer transactions than the limit, or none, before the last page: a search reads a limited
        /// number of transactions for each page.
        public let next: PageCursor?
    }

    /// The order of transactions; transactions of one day are in the order of their identifiers.
    public enum Order: String, Sendable, Hashable, Codable, CaseIterable {
        case newestFirst, oldestFirst
    }

    /// The page.
    public typealias Value = Page

    /// The period of the transactions.
    public let period: BookPeriod

    /// The words of a text.
    ///
    /// Each word must occur in the description, the code, the comment, or the name of an account, in upper or lower case.
    public let words: [String]

    /// The full name of an account; its subaccounts are included; `nil` for all accounts.
    public let account: String?

    /// The order.
    public let order: Order

    /// The ``Page/next`` of the previous page; `nil` for the first page.
    public let cursor: PageCursor?

    /// Maximum number of transactions.
    public let limit: Int

    /// Creates the query.
    ///
    /// - Parameters:
    ///   - period: The period.
    ///   - text: Words that must all occur in a transaction; empty for all transactions.
    ///   - account: The full name of an account.
    ///   - order: The order.
    ///   - cursor: The ``Page/next`` of the previous page, which must have been queried with the same conditions.
    ///   - limit: Maximum number of transactions, at least 1.
    public init(
        in period: BookPeriod = BookPeriod(),
        containing text: String = "",
        account: String? = nil,
        order: Order = .newestFirst,
        after cursor: PageCursor? = nil,
        limit: Int = 50
    ) {
        self.period = period
        words = text.lowercased().composed.split(whereSeparator: \.isWhitespace).map { String($0) }
        self.account = account
        self.order = order
        self.cursor = cursor
        self.limit = max(1, limit)
    }
}

/// Handles ``GetTransactions``.
public final class GetTransactionsHandler: HandlesQuery, Resolvable {
    /// Number of transactions from which on a search ends its page.
    private static let mostRead = 4_096

    private let store: any EntityStore

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on((any EntityStore).self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        store = scope.resolve()
    }

    /// Handles the query.
    ///
    /// - Throws: ``UnknownAccount``; `StoreError`, with the code `foreignCursor` if the cursor belongs to another order;
    ///   `CancellationError`.
    public func handle(_ query: GetTransactions) async throws -> GetTransactions.Page {
        var accounts: Set<String>?
        if let account = query.account { accounts = try await Account.names(upFrom: account, in: EntityContext(store)) }
        let pages = TransactionPages(
            of: store,
            in: query.period,
            accounts: accounts,
            isDescending: query.order == .newestFirst
        )
        if query.words.isEmpty {
            let page = try await pages.page(after: query.cursor, limit: query.limit)
            return GetTransactions.Page(transactions: page.entities.map(\.posted), next: page.next)
        }
        var found: [GetTransaction.Posted] = []
        var unread = Self.mostRead
        var cursor = query.cursor
        var size = TransactionPages.size
        while true {
            let page = try await pages.page(after: cursor, limit: size)
            let matches = page.entities.indices.filter { page.entities[$0].contains(query.words) }
            let missing = query.limit - found.count
            if matches.count > missing {
                // The result must end at the end of a read, because the cursor and the transactions must belong to the same read.
                // The shorter page can have fewer matches, if others were posted meanwhile.
                size = matches[missing - 1] + 1
                continue
            }
            found += matches.map { page.entities[$0].posted }
            cursor = page.next
            unread -= page.entities.count
            size = TransactionPages.size
            if cursor == nil || found.count == query.limit || unread <= 0 {
                return GetTransactions.Page(transactions: found, next: cursor)
            }
        }
    }
}

extension Transaction {
    /// Whether each of `words`, which are composed and in lower case, occurs in a text of the transaction.
    fileprivate func contains(_ words: [String]) -> Bool {
        let texts = ([description, code, comment] + postings.map(\.account)).map { $0.lowercased().composed }
        return words.allSatisfy { word in texts.contains { $0.contains(word) } }
    }
}
