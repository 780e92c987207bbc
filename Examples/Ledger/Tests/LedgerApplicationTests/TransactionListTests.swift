// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceStorage
import HeadraceTesting
import LedgerApplication
import LedgerBooks
import Synchronization
import Testing

private let journal = """
    2026-01-02 (17) Café  ; with Ann
        expenses:food:out    3 EUR
        assets:cash
    2026-01-01 Market
        expenses:food        2 EUR
        assets:cash
    2026-01-03 Rent
        expenses:rent        9 EUR
        assets:bank
    2026-01-03 Café
        expenses:gifts       4 EUR
        assets:cash

    """

@Suite struct TransactionListTests {
    /// All pages of `query`, as descriptions with the number of the expense.
    private func pages(
        of books: TestBooks,
        limit: Int,
        _ query: (PageCursor?, Int) -> GetTransactions
    ) async throws -> [[String]] {
        var pages: [[String]] = []
        var cursor: PageCursor?
        repeat {
            let page = try await books.dispatcher.dispatch(query(cursor, limit))
            pages.append(page.transactions.map { "\($0.date.day) \($0.description)" })
            cursor = page.next
        } while cursor != nil
        return pages
    }

    @Test func aSearchWithoutAMatchEndsItsPageAfterALimitedNumberOfTransactions() async throws {
        let books = try await TestBooks(.memory)
        let lines = (1...9_000).map { "2026-01-0\($0 % 9 + 1) Shop \($0)\n    a  1 EUR\n    b\n" }
        try await books.import(lines.joined())

        var pages: [Int] = []
        var cursor: PageCursor?
        repeat {
            let page = try await books.dispatcher.dispatch(GetTransactions(containing: "9000", after: cursor, limit: 5))
            pages.append(page.transactions.count)
            cursor = page.next
        } while cursor != nil

        #expect(pages.count >= 3)
        #expect(pages.reduce(0, +) == 1)
    }

    @Test(.timeLimit(.minutes(1))) func aSearchThatRunsIsCancelledAtTheDeadlineOfItsRequest() async throws {
        let clock = TestClock()
        let store = try StandingStore()
        var configuration = LedgerComposition.Configuration()
        configuration.clock = clock
        let container = try LedgerComposition.makeContainer(on: store, configuration: configuration)
        let dispatcher: any CommandQueryDispatcher = container.resolve()

        let search = Task {
            try await MessageContext.withDeadline(clock.now.advanced(by: .seconds(30))) {
                try await dispatcher.dispatch(GetTransactions(containing: "nothing"))
            }
        }
        await store.isReading()
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))

        await #expect(throws: TimeoutError.self) { _ = try await search.value }
    }

    @Test(arguments: StoreKind.allCases)
    func pagesListTheLatestTransactionsFirst(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.import(journal)

        let latest = try await pages(of: books, limit: 3) { GetTransactions(after: $0, limit: $1) }
        let oldest = try await pages(of: books, limit: 9) { GetTransactions(order: .oldestFirst, after: $0, limit: $1) }

        #expect(latest == [["3 Café", "3 Rent", "2 Café"], ["1 Market"]])
        #expect(oldest == [["1 Market", "2 Café", "3 Rent", "3 Café"]])
    }

    @Test(arguments: StoreKind.allCases)
    func conditionsAreCombined(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.import(journal)
        let period = BookPeriod(from: BookDate("2026-01-02"), before: BookDate("2026-01-03"))

        for limit in [1, 2, 50] {
            func list(_ query: (PageCursor?, Int) -> GetTransactions) async throws -> [String] {
                let pages = try await pages(of: books, limit: limit, query)
                #expect(pages.dropLast().allSatisfy { $0.count == limit })
                return pages.flatMap(\.self)
            }

            #expect(try await list { GetTransactions(in: period, after: $0, limit: $1) } == ["2 Café"])
            #expect(
                try await list { GetTransactions(containing: "CAFE\u{301}", after: $0, limit: $1) } == [
                    "3 Café", "2 Café",
                ])
            #expect(try await list { GetTransactions(containing: " café  food", after: $0, limit: $1) } == ["2 Café"])
            #expect(try await list { GetTransactions(containing: "ann", after: $0, limit: $1) } == ["2 Café"])
            #expect(try await list { GetTransactions(containing: "17", after: $0, limit: $1) } == ["2 Café"])
            #expect(try await list { GetTransactions(containing: "nowhere", after: $0, limit: $1) } == [])
            #expect(
                try await list { GetTransactions(account: "expenses:food", after: $0, limit: $1) } == [
                    "2 Café", "1 Market",
                ])
            #expect(
                try await list {
                    GetTransactions(
                        in: BookPeriod(before: BookDate("2026-01-03")), containing: "market", account: "assets",
                        order: .oldestFirst, after: $0, limit: $1)
                } == ["1 Market"]
            )
        }
        await #expect(throws: UnknownAccount.self) {
            try await books.dispatcher.dispatch(GetTransactions(account: "cash"))
        }
    }

    /// The matches are spread over more transactions than one read has.
    @Test(arguments: StoreKind.allCases)
    func rareMatchesAreFoundOnceInEachPageSize(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.import(
            (0..<600).map { "2026-01-0\($0 % 2 + 1) n\($0 % 100 == 99 ? "x" : "")\n    a   1 EUR\n    b\n" }.joined())

        for limit in [1, 4, 5, 6, 7] {
            let found = try await pages(of: books, limit: limit) {
                GetTransactions(containing: "nx", after: $0, limit: $1)
            }
            #expect(found.flatMap(\.self) == Array(repeating: "2 nx", count: 6), "\(limit)")
        }
    }

    /// Each read of the list is interrupted by a transaction that precedes all others.
    @Test func aTransactionIsOnOnePageEvenIfOthersArePostedMeanwhile() async throws {
        let books = try await TestBooks()
        try await books.import((1...20).map { "2026-01-\($0 + 10) n\($0)\n    a   1 EUR\n    b\n" }.joined())
        let dispatcher = books.dispatcher
        let store = InterruptedReads(books.store) { number in
            let draft = try transfer("1", on: "2026-01-0\(number % 9 + 1)")
            try await dispatcher.dispatch(PostTransaction(draft))
        }
        let container = try LedgerComposition.makeContainer(on: store)
        let reading: any CommandQueryDispatcher = container.resolve()
        var found: [String] = []
        var cursor: PageCursor?

        store.interrupt()
        repeat {
            let page = try await reading.dispatch(
                GetTransactions(containing: "n", order: .oldestFirst, after: cursor, limit: 3))
            found += page.transactions.map(\.description)
            cursor = page.next
        } while cursor != nil

        let imported = found.filter { $0.hasPrefix("n") }
        #expect(imported == (1...20).map { "n\($0)" })
    }

    @Test(arguments: StoreKind.allCases)
    func aCursorIsTextAndBelongsToItsOrder(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.import(journal)
        let first = try await books.dispatcher.dispatch(GetTransactions(limit: 3))
        let next = try #require(first.next)
        let cursor = try #require(PageCursor(next.description))

        let second = try await books.dispatcher.dispatch(GetTransactions(after: cursor))
        let error = await #expect(throws: StoreError.self) {
            try await books.dispatcher.dispatch(GetTransactions(order: .oldestFirst, after: cursor))
        }

        #expect(second.transactions.map(\.description) == ["Market"])
        #expect(error?.code == .foreignCursor)
    }
}

/// A store that runs an operation directly before each of the next reads of documents, as a faster writer would.
private final class InterruptedReads: StoreDecorator {
    let base: any DeliveryStore
    private let interruption: @Sendable (_ number: Int) async throws -> Void
    private let remaining = Mutex(0)

    init(_ base: any DeliveryStore, _ interruption: @escaping @Sendable (_ number: Int) async throws -> Void) {
        self.base = base
        self.interruption = interruption
    }

    /// Interrupts the next nine reads.
    func interrupt() { remaining.withLock { $0 = 9 } }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        let number = remaining.withLock { remaining in
            remaining -= 1
            return remaining
        }
        // Another process has neither the unit of work nor the lock keys of this task.
        if number >= 0 { try await Task.detached { [interruption] in try await interruption(number) }.value }
        return try await base.fetch(query)
    }
}

/// A store whose reads of documents end only when they are cancelled.
private final class StandingStore: StoreDecorator {
    let base: any DeliveryStore
    private let (reads, began) = AsyncStream<Void>.makeStream()

    init() throws {
        base = try InMemoryStore(entities: LedgerComposition.entities)
    }

    /// Returns when a read has begun.
    func isReading() async { _ = await reads.first { true } }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        began.yield()
        for await _ in AsyncStream<Never>.makeStream().stream {}
        throw CancellationError()
    }

    func snapshot() async throws -> any EntityReader { self }
}
