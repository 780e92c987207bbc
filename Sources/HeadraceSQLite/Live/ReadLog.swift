//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
import HeadraceDomain
import Synchronization

/// A store that remembers what was read from it: which questions gave which versions of what.
final class ReadLog: EntityStore {
    struct Read: Equatable {
        /// What was given: entities and their versions, or events by their positions.
        enum Answer: Equatable {
            case entities(keys: [String], versions: [Int])
            case events(positions: [Int64])
        }

        let subject: CommitFeed.Subject
        let answer: Answer

        init(kind: String, documents: [StoredDocument]) {
            subject = .entities(kind)
            answer = .entities(keys: documents.map(\.reference.key), versions: documents.map(\.version))
        }

        init(events: [EventRecord]) {
            subject = .events
            answer = .events(positions: events.map(\.position))
        }
    }

    private let store: SQLiteStore
    private let log = Mutex<[Read]>([])

    init(_ store: SQLiteStore) {
        self.store = store
    }

    /// What was read, in that order.
    var reads: [Read] { log.withLock(\.self) }

    var schema: EntitySchema { store.schema }

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        try await find(reference, in: store)
    }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try await fetch(query, in: store)
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

    fileprivate func fetch(_ query: DocumentQuery, in reader: any EntityReader) async throws -> [StoredDocument] {
        let documents = try await reader.fetch(query)
        let read = Read(kind: query.kind, documents: documents)
        log.withLock { $0.append(read) }
        return documents
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

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await events(after: position, limit: limit, in: store)
    }
}

/// One moment of the store; what is read of it is in the log too.
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

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try await log.fetch(query, in: moment)
    }

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await log.events(after: position, limit: limit, in: moment)
    }
}
#endif
