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
        return try Row.fetchOne(statement, arguments: [kind, StoredText(reference.key)]).map {
            try document(of: reference.kind, $0)
        }
    }

    static func documents(
        of kind: String,
        by statement: SelectStatement,
        in database: Database
    ) throws -> [StoredDocument] {
        let rows = try Row.fetchCursor(database, sql: statement.sql, arguments: statement.arguments)
        var documents: [StoredDocument] = []
        while let row = try rows.next() {
            documents.append(try document(of: kind, row))
        }
        return documents
    }

    /// Reads one document; throws where a damaged file holds something else, which a subscript of the row would
    /// not survive.
    static func document(of kind: String, _ row: Row) throws -> StoredDocument {
        StoredDocument(
            reference: EntityReference(kind: kind, key: try row.decode(StoredText.self, forColumn: "key").text),
            version: try row.decode(forColumn: "version"),
            schemaVersion: try row.decode(forColumn: "schema_version"),
            json: Data(try row.decode(String.self, forColumn: "document").utf8)
        )
    }

    static func events(after position: Int64, limit: Int, in database: Database) throws -> [EventRecord] {
        let statement = try database.cachedStatement(
            sql: "SELECT * FROM event WHERE position > ? ORDER BY position LIMIT ?"
        )
        return try Row.fetchAll(statement, arguments: [position, max(0, limit)]).map { row in
            let text: String = try row.decode(forColumn: "id")
            guard let id = UUID(uuidString: text) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "event id '\(text)' is not a UUID")
            }
            let milliseconds: Int64 = try row.decode(forColumn: "recorded_at")
            return EventRecord(
                position: try row.decode(forColumn: "position"),
                event: NewEvent(
                    id: id,
                    name: try row.decode(StoredText.self, forColumn: "name").text,
                    version: try row.decode(forColumn: "version"),
                    stream: try stream(of: row),
                    recordedAt: Date(timeIntervalSince1970: Double(milliseconds) / 1000),
                    json: Data(try row.decode(String.self, forColumn: "document").utf8)
                )
            )
        }
    }

    private static func stream(of row: Row) throws -> EntityReference? {
        guard let kind = try row.decode(StoredText?.self, forColumn: "stream_kind"),
            let key = try row.decode(StoredText?.self, forColumn: "stream_key")
        else { return nil }
        return EntityReference(kind: kind.text, key: key.text)
    }
}
#endif
