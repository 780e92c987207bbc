// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage
import Synchronization

/// A store that remembers the results of the reads: the documents, and the positions of events.
final class ReadLog: EntityStore {
    struct Read: Equatable {
        /// The result of a read: documents, their number, or events by their positions.
        ///
        /// Documents are compared as a whole, because an entity that was deleted and inserted again repeats the
        /// versions of the deleted entity.
        enum Answer: Equatable {
            case entities([StoredDocument])
            case count(Int)
            case events(positions: [Int64])
        }

        let subject: CommitFeed.Subject
        let answer: Answer

        init(kind: String, documents: [StoredDocument]) {
            subject = .entities(kind)
            answer = .entities(documents)
        }

        init(kind: String, count: Int) {
            subject = .entities(kind)
            answer = .count(count)
        }

        init(events: [EventRecord]) {
            subject = .events
            answer = .events(positions: events.map(\.position))
        }
    }

    private let store: any ObservableStore
    private let log = Mutex<[Read]>([])

    init(_ store: any ObservableStore) {
        self.store = store
    }

    /// The reads, in order.
    var reads: [Read] { log.withLock(\.self) }

    var schema: EntitySchema { store.schema }

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        try await find(reference, in: store)
    }

    func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        try await find(all: references, in: store)
    }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try await fetch(query, in: store)
    }

    func count(_ query: DocumentQuery) async throws -> Int {
        try await count(query, in: store)
    }

    func snapshot() async throws -> any EntityReader {
        LoggedSnapshot(try await store.snapshot(), log: self)
    }

    fileprivate func find(_ reference: EntityReference, in reader: any EntityReader) async throws -> StoredDocument? {
        let document = try await reader.find(reference)
        let read = Read(kind: reference.kind, documents: document.map { [$0] } ?? [])
        log.withLock { $0.append(read) }
        return document
    }

    fileprivate func find(
        all references: [EntityReference],
        in reader: any EntityReader
    ) async throws -> [StoredDocument] {
        let documents = try await reader.find(all: references)
        // A kind without documents is part of the result, too.
        var found: [String: [StoredDocument]] = [:]
        for reference in references { found[reference.kind] = [] }
        for document in documents { found[document.reference.kind]?.append(document) }
        let reads = found.sorted { $0.key < $1.key }.map { Read(kind: $0.key, documents: $0.value) }
        log.withLock { $0 += reads }
        return documents
    }

    fileprivate func fetch(_ query: DocumentQuery, in reader: any EntityReader) async throws -> [StoredDocument] {
        let documents = try await reader.fetch(query)
        let read = Read(kind: query.kind, documents: documents)
        log.withLock { $0.append(read) }
        return documents
    }

    fileprivate func count(_ query: DocumentQuery, in reader: any EntityReader) async throws -> Int {
        let count = try await reader.count(query)
        let read = Read(kind: query.kind, count: count)
        log.withLock { $0.append(read) }
        return count
    }

    fileprivate func events(
        after position: Int64,
        limit: Int,
        in reader: any EntityReader
    ) async throws -> [EventRecord] {
        let events = try await reader.events(after: position, limit: limit)
        log.withLock { $0.append(Read(events: events)) }
        return events
    }

    func commit(_ changes: ChangeSet) async throws {
        try await store.commit(changes)
    }

    /// Does nothing: the owner of the store closes it.
    func close() throws {}

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await events(after: position, limit: limit, in: store)
    }
}

/// A snapshot of the store that adds its reads to the log.
private final class LoggedSnapshot: EntityReader {
    private let moment: any EntityReader
    private let log: ReadLog

    init(_ moment: any EntityReader, log: ReadLog) {
        self.moment = moment
        self.log = log
    }

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        try await log.find(reference, in: moment)
    }

    func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        try await log.find(all: references, in: moment)
    }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try await log.fetch(query, in: moment)
    }

    func count(_ query: DocumentQuery) async throws -> Int {
        try await log.count(query, in: moment)
    }

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await log.events(after: position, limit: limit, in: moment)
    }
}
