// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A snapshot of an ``InMemoryStore``.
final class InMemorySnapshot: EntityReader {
    private let state: Mutex<InMemoryState>
    private let schema: EntitySchema

    init(_ state: InMemoryState, schema: EntitySchema) {
        self.state = Mutex(state)
        self.schema = schema
    }

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        try Task.checkCancellation()
        return state.withLock { $0.document(of: reference) }
    }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try Task.checkCancellation()
        try schema.requireIndexes(of: query)
        return state.withLock { $0.fetch(query) }
    }

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try Task.checkCancellation()
        return state.withLock { $0.events(after: position, limit: limit) }
    }
}
