// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import LedgerApplication
import LedgerBooks
import LedgerJournal
import LedgerTestSupport

/// The kind of store in a test.
enum StoreKind: CaseIterable, Sendable {
    case memory, sqlite, postgres

    /// All kinds that can be tested: PostgreSQL only with a server.
    static var allCases: [StoreKind] {
        TestDatabase.server == nil ? [.memory, .sqlite] : [.memory, .sqlite, .postgres]
    }
}

/// A ledger with its own store, for one test.
final class TestBooks {
    let store: any DeliveryStore
    let container: Container
    let dispatcher: any CommandQueryDispatcher
    private let folder: URL?

    init(
        _ kind: StoreKind = .memory,
        progress: any ImportProgress = NoOpImportProgress(),
        observers: [any MessageObserver] = []
    ) async throws {
        switch kind {
        case .memory:
            folder = nil
            store = try InMemoryStore(entities: LedgerComposition.entities)
        case .sqlite:
            let folder = FileManager.default.temporaryDirectory.appending(path: "ledger-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            self.folder = folder
            store = try SQLiteStore(
                path: folder.appending(path: "books.sqlite").path(percentEncoded: false),
                entities: LedgerComposition.entities
            )
        case .postgres:
            folder = nil
            store = try await LedgerDatabase(TestDatabase.makeSchema() ?? "").open().base
        }
        var configuration = LedgerComposition.Configuration()
        configuration.progress = progress
        configuration.observers = observers
        container = try LedgerComposition.makeContainer(on: store, configuration: configuration)
        dispatcher = container.resolve()
    }

    deinit {
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }

    /// Imports the journal `text` under `name`, and returns the outcome.
    @discardableResult
    func `import`(
        _ text: String, named name: String = "test.journal", missing: MissingTransactions = .refuse
    ) async throws -> GetImport.Outcome? {
        try await self.import(Array(text.utf8), named: name, missing: missing)
    }

    /// Imports the journal `bytes` under `name`, and returns the outcome.
    @discardableResult
    func `import`(
        _ bytes: [UInt8], named name: String = "test.journal", missing: MissingTransactions = .refuse
    ) async throws -> GetImport.Outcome? {
        let journal = try JournalParser().parse(bytes, file: name)
        try await dispatcher.dispatch(
            ImportJournal(journal, named: name, content: Fingerprint(bytes: bytes), missing: missing))
        return try await dispatcher.dispatch(GetImport(of: name))
    }

    /// The balances as text, one line for each account and commodity.
    func balances(matching patterns: String...) async throws -> [String] {
        try await dispatcher.dispatch(GetBalances(matching: patterns)).map { "\($0.account) \($0.amount)" }
    }

    /// The names of the stored events, in order.
    func eventNames() async throws -> [String] {
        try await store.events(after: 0, limit: .max).map(\.event.name)
    }
}

/// A draft of a transaction between two accounts.
func transfer(
    _ amount: String,
    from source: String = "assets:cash",
    to target: String = "expenses:food",
    on day: String = "2026-03-01"
) throws -> TransactionDraft {
    guard let date = BookDate(day), let quantity = Quantity(amount) else { throw CocoaError(.formatting) }
    return TransactionDraft(
        date: date,
        description: "transfer",
        postings: [
            PostingDraft(account: target, amount: Amount(quantity, "EUR")),
            PostingDraft(account: source),
        ]
    )
}
