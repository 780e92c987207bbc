// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceStorage

/// The reads of a store and of a snapshot, on one connection.
struct DocumentReading: Sendable {
    let session: Session
    let numbers: PostgresSchemaIDs

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        guard let kind = numbers.kind(reference.kind) else { return nil }
        let rows = try await session.run(
            "SELECT key, version, schema_version, document FROM entity WHERE kind = $1 AND key = $2",
            [.integer(kind), .bytes([UInt8](reference.key))]
        )
        return try rows.first.map { try DocumentRows.document(of: reference.kind, $0) }
    }

    func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        let known = references.compactMap { reference in numbers.kind(reference.kind).map { ($0, reference) } }
        if known.isEmpty { return [] }
        let rows = try await session.run(
            """
            SELECT wanted.n, entity.key, entity.version, entity.schema_version, entity.document
            FROM unnest($1::bigint[], $2::bytea[]) WITH ORDINALITY wanted (kind, key, n)
            JOIN entity ON entity.kind = wanted.kind AND entity.key = wanted.key ORDER BY wanted.n
            """,
            [.integers(known.map(\.0)), .byteStrings(known.map { [UInt8]($0.1.key) })]
        )
        return try rows.rows.map { row in
            try DocumentRows.document(of: known[Int(try row.integer(0)) - 1].1.kind, row, from: 1)
        }
    }

    func fetch(_ query: DocumentQuery, _ statement: SelectStatement) async throws -> [StoredDocument] {
        let rows = try await session.run(statement.sql, statement.values, isPrepared: false)
        return try rows.rows.map { try DocumentRows.document(of: query.kind, $0) }
    }

    func count(_ statement: SelectStatement) async throws -> Int {
        let rows = try await session.run(statement.countSQL, statement.values, isPrepared: false)
        return Int(try rows.first?.integer(0) ?? 0)
    }

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        let rows = try await session.run(
            "SELECT \(LeaseProcedure.event) FROM event WHERE position > $1 ORDER BY position LIMIT $2",
            [.integer(position), .integer(Int64(max(0, limit)))]
        )
        return try rows.rows.map { try DocumentRows.event($0) }
    }
}
#endif
