// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Headrace
import LedgerBooks

/// A journal that was imported: its path, and the origins of its transactions at the last import.
public final class KnownJournal: StoredEntity {
    /// The name of the entity type in the store.
    public static let entityName = "known-journal"

    /// The indexes of the entity type.
    public static var indexes: [EntityIndex<KnownJournal>] { [.path] }

    /// The events that no unit of work has taken yet.
    public var raisedEvents = RaisedEvents()

    /// The name of the journal, which is part of the origins of its transactions.
    ///
    /// It is the name of the file at the first import or, if that belonged to a journal in another folder, its path. It
    /// stays the same if the file is renamed.
    public let id: String

    /// The path of the file at the last import; `nil` if the journal was only uploaded, or read from the standard input.
    public private(set) var path: String?

    /// The transactions of the last import and, after them, of later imports that haven't finished.
    private var lists: [KnownOrigins.List] = []

    /// Creates a journal without transactions.
    init(named name: String, at path: String? = nil) {
        id = name
        self.path = path
    }

    /// Records that the file is at `path` now.
    func move(to path: String) {
        if path != self.path { self.path = path }
    }

    /// Returns the transactions of the last imports that are in the books, not reversed, and not among `origins`.
    ///
    /// - Throws: `StoreError`.
    func missing(from origins: [[Fingerprint]], in context: EntityContext) async throws -> Missing {
        try await Missing(from: origins, in: lists, context)
    }

    /// Throws ``ChangedJournal`` if an earlier version has made the last import, and fewer of its transactions are among
    /// `origins`, of the journal `name`.
    ///
    /// An earlier version has stored their number only.
    func requireTransactionsOfEarlierVersion(
        among origins: [JournalOrigin], of name: String, in context: EntityContext
    ) async throws {
        guard lists.isEmpty, let last = try await context.find(ImportedJournal.self, id: id) else { return }
        var earlier = PostedOrigins(of: [], in: context)
        try await earlier.read(origins)
        let count = last.posted + last.known - earlier.count(of: origins)
        if count > 0 { throw ChangedJournal(name, countSinceEarlierVersion: count) }
    }

    /// Returns the number of transactions of the last import, and how many of them are among `origins`.
    ///
    /// - Throws: `StoreError`.
    func overlap(with origins: Set<Fingerprint>, in context: EntityContext) async throws -> (count: Int, shared: Int) {
        guard let list = lists.first else { return (0, 0) }
        let known = try await KnownOrigins.read(list, in: context)
        return (known.count, known.count { $0.contains(where: origins.contains) })
    }

    /// Adds the list `id` of an import that starts.
    ///
    /// - Throws: `StoreError`.
    func begin(_ id: UUID, with origins: [[Fingerprint]], in context: EntityContext) async throws {
        // A repeated import of an unchanged journal writes nothing.
        if lists.count == 1, try await KnownOrigins.read(lists[0], in: context) == origins { return }
        lists.append(KnownOrigins.insert(origins, as: id, in: context))
    }

    /// Makes the list `id` that of the last import, and returns the transactions that are only in earlier lists.
    ///
    /// - Throws: `StoreError`.
    func finish(_ id: UUID, in context: EntityContext) async throws -> Missing {
        guard let index = lists.firstIndex(where: { $0.id == id }), index > 0 else { return Missing() }
        let origins = try await KnownOrigins.read(lists[index], in: context)
        let missing = try await Missing(from: origins, in: lists[..<index], context)
        for list in lists[..<index] { try await KnownOrigins.delete(list, in: context) }
        lists.removeFirst(index)
        return missing
    }

    /// Removes the list `id` of an import that has posted nothing.
    ///
    /// - Throws: `StoreError`.
    func discard(_ id: UUID, in context: EntityContext) async throws {
        guard let index = lists.firstIndex(where: { $0.id == id }) else { return }
        try await KnownOrigins.delete(lists.remove(at: index), in: context)
    }
}

extension KnownJournal {
    /// Transactions of earlier imports that are no longer in a journal.
    struct Missing {
        /// The transactions in the order of their dates.
        private(set) var transactions: [Transaction] = []

        /// All fingerprints by which they are known.
        private var fingerprints: [Fingerprint] = []

        /// Creates an empty value.
        init() {}

        /// Finds the transactions of `lists` without a fingerprint among `origins`.
        fileprivate init(
            from origins: [[Fingerprint]], in lists: some Sequence<KnownOrigins.List>, _ context: EntityContext
        ) async throws {
            let current = Set(origins.joined())
            var gone: Set<Fingerprint> = []
            for list in lists {
                for known in try await KnownOrigins.read(list, in: context)
                where !known.contains(where: current.contains) { gone.formUnion(known) }
            }
            fingerprints = gone.sorted { $0.rawValue < $1.rawValue }
            transactions = try await Transaction.posted(from: fingerprints, in: context)
                .filter { $0.reversedBy == nil }
                .sorted { ($0.date, $0.id.uuidString) < ($1.date, $1.id.uuidString) }
        }

        /// Reverses the transactions, and forgets them, so that they can be posted again.
        ///
        /// - Throws: `StoreError`.
        func reverse(noLongerIn name: String, by bookkeeper: inout Bookkeeper, in context: EntityContext) async throws {
            let origins = Set(transactions.compactMap(\.origin))
            for transaction in transactions {
                try await bookkeeper.post(try transaction.withdraw(comment: "No longer in '\(name)'"), scales: [:])
            }
            for record in try await context.find(AssignedTransaction.self, ids: fingerprints)
            where origins.contains(record.origin) { context.delete(record) }
        }
    }
}

extension EntityIndex<KnownJournal> {
    /// The fingerprint of the path, because a path can be longer than a key.
    static var path: Self { EntityIndex("path") { $0.path.map { Fingerprint([$0]) } } }
}
