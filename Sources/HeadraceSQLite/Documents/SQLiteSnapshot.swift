// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
import HeadraceStorage

/// A snapshot of a file: a read transaction that is open as long as this object lives.
final class SQLiteSnapshot: EntityReader {
    private let snapshot: DatabaseSnapshot
    private let schema: EntitySchema
    private let ids: SchemaIDs
    private let path: String

    init(_ snapshot: DatabaseSnapshot, schema: EntitySchema, ids: SchemaIDs, path: String) {
        self.snapshot = snapshot
        self.schema = schema
        self.ids = ids
        self.path = path
    }

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        guard let kind = ids.kind(reference.kind) else { return nil }
        return try await read { try DocumentReader.document(of: reference, kind: kind, in: $0) }
    }

    func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        try await read { [ids] in try DocumentReader.documents(of: references, ids: ids, in: $0) }
    }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try schema.requireIndexes(of: query)
        guard let statement = ids.statement(for: query) else { return [] }
        return try await read { [ids] in try OutdatedIndexes($0, ids: ids).fetch(query, by: statement).documents }
    }

    func count(_ query: DocumentQuery) async throws -> Int {
        try schema.requireIndexes(of: query)
        guard let statement = ids.statement(for: query) else { return 0 }
        return try await read { [ids] in try OutdatedIndexes($0, ids: ids).count(query, by: statement).count }
    }

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await read { try DocumentReader.events(after: position, limit: limit, in: $0) }
    }

    private func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await SQLiteErrorMapper(path: path).translating { try await snapshot.read(body) }
    }
}
#endif
