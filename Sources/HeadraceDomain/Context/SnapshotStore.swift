// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage

/// A snapshot of a store, as a read-only store.
final class SnapshotStore: EntityStore {
    let schema: EntitySchema
    private let moment: any EntityReader

    init(of schema: EntitySchema, at moment: any EntityReader) {
        self.schema = schema
        self.moment = moment
    }

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        try await moment.find(reference)
    }

    func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        try await moment.find(all: references)
    }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try await moment.fetch(query)
    }

    func count(_ query: DocumentQuery) async throws -> Int {
        try await moment.count(query)
    }

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await moment.events(after: position, limit: limit)
    }

    func snapshot() async throws -> any EntityReader { moment }

    func commit(_ changes: ChangeSet) async throws {
        throw StoreError.readOnly(changes.writes.first?.document.reference ?? changes.deletions.first?.reference)
    }

    /// Does nothing: the owner of the store closes it.
    func close() throws {}
}
