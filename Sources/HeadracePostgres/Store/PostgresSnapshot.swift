// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceStorage

/// A snapshot of a store: a read transaction that is open as long as this object lives.
final class PostgresSnapshot: EntityReader {
    private let reading: DocumentReading
    private let schema: EntitySchema
    private let mapper: PostgresErrorMapper

    /// - Parameters:
    ///   - session: A connection for this snapshot alone.
    ///   - schema: The types of entity of the store.
    ///   - numbers: The kinds and indexes of the store.
    ///   - mapper: Converts failures.
    /// - Throws: ``PostgresFailure``.
    init(on session: Session, schema: EntitySchema, numbers: PostgresSchemaIDs, mapper: PostgresErrorMapper)
        async throws
    {
        reading = DocumentReading(session: session, numbers: numbers)
        self.schema = schema
        self.mapper = mapper
        _ = try await session.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", isPrepared: false, isAlone: true)
        // The first query takes the snapshot, not BEGIN.
        _ = try await session.run("SELECT generation FROM store", isPrepared: false)
    }

    deinit {
        reading.session.close()
    }

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        try Task.checkCancellation()
        return try await mapper.translating { try await reading.find(reference) }
    }

    func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        try Task.checkCancellation()
        return try await mapper.translating { try await reading.find(all: references) }
    }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try Task.checkCancellation()
        try schema.requireIndexes(of: query)
        return try await mapper.translating { try await OutdatedIndexes(reading: reading, schema: schema).fetch(query) }
    }

    func count(_ query: DocumentQuery) async throws -> Int {
        try Task.checkCancellation()
        try schema.requireIndexes(of: query)
        return try await mapper.translating { try await OutdatedIndexes(reading: reading, schema: schema).count(query) }
    }

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try Task.checkCancellation()
        return try await mapper.translating { try await reading.events(after: position, limit: limit) }
    }
}
#endif
