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
        let document = try await store.find(reference)
        let read = Read(kind: reference.kind, documents: document.map { [$0] } ?? [])
        log.withLock { $0.append(read) }
        return document
    }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        let documents = try await store.fetch(query)
        let read = Read(kind: query.kind, documents: documents)
        log.withLock { $0.append(read) }
        return documents
    }

    func commit(_ changes: ChangeSet) async throws {
        try await store.commit(changes)
    }

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        let events = try await store.events(after: position, limit: limit)
        log.withLock { $0.append(Read(events: events)) }
        return events
    }
}
#endif
