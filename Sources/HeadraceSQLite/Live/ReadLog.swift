//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
import HeadraceDomain
import Synchronization

/// A store that remembers what was read from it: which questions gave which versions of which entities.
final class ReadLog: EntityStore {
    struct Read: Equatable {
        let kind: String
        let keys: [String]
        let versions: [Int]

        init(kind: String, documents: [StoredDocument]) {
            self.kind = kind
            keys = documents.map(\.reference.key)
            versions = documents.map(\.version)
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
        try await store.events(after: position, limit: limit)
    }
}
#endif
