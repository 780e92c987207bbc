//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
import Foundation
import GRDB
import HeadraceDomain

/// Reads documents and events.
enum Reading {
    static func document(of reference: EntityReference, kind: Int64, in database: Database) throws -> StoredDocument? {
        let statement = try database.cachedStatement(
            sql: "SELECT key, version, schema_version, document FROM entity WHERE kind = ? AND key = ?"
        )
        return try Row.fetchOne(statement, arguments: [kind, reference.key]).map { document(of: reference.kind, $0) }
    }

    static func documents(
        of kind: String,
        by statement: SelectStatement,
        in database: Database
    ) throws -> [StoredDocument] {
        let rows = try Row.fetchCursor(database, sql: statement.sql, arguments: statement.arguments)
        var documents: [StoredDocument] = []
        while let row = try rows.next() {
            documents.append(document(of: kind, row))
        }
        return documents
    }

    static func document(of kind: String, _ row: Row) -> StoredDocument {
        let document: String = row["document"]
        return StoredDocument(
            reference: EntityReference(kind: kind, key: row["key"]),
            version: row["version"],
            schemaVersion: row["schema_version"],
            json: Data(document.utf8)
        )
    }

    static func events(after position: Int64, limit: Int, in database: Database) throws -> [EventRecord] {
        let statement = try database.cachedStatement(
            sql: "SELECT * FROM event WHERE position > ? ORDER BY position LIMIT ?"
        )
        return try Row.fetchAll(statement, arguments: [position, max(0, limit)]).map { row in
            let stream: EntityReference? =
                if let kind: String = row["stream_kind"], let key: String = row["stream_key"] {
                    EntityReference(kind: kind, key: key)
                } else {
                    nil
                }
            let document: String = row["document"]
            let id: String = row["id"]
            guard let id = UUID(uuidString: id) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "event id '\(id)' is not a UUID")
            }
            return EventRecord(
                position: row["position"],
                event: NewEvent(
                    id: id,
                    name: row["name"],
                    version: row["version"],
                    stream: stream,
                    recordedAt: Date(timeIntervalSince1970: Double(row["recorded_at"] as Int64) / 1000),
                    json: Data(document.utf8)
                )
            )
        }
    }
}
#endif
