//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
import Foundation
import GRDB
import HeadraceCore
import HeadraceStorage

/// Reads documents and events.
enum DocumentReader {
    static func document(of reference: EntityReference, kind: Int64, in database: Database) throws -> StoredDocument? {
        let statement = try database.cachedStatement(
            sql: "SELECT key, version, schema_version, document FROM entity WHERE kind = ? AND key = ?"
        )
        return try Row.fetchOne(statement, arguments: [kind, SQLText(reference.key)]).map {
            try document(of: reference.kind, $0)
        }
    }

    static func documents(
        of references: [EntityReference],
        ids: SchemaIDs,
        in database: Database
    ) throws -> [StoredDocument] {
        try references.compactMap { reference in
            try ids.kind(reference.kind).flatMap { try document(of: reference, kind: $0, in: database) }
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

    /// Reads one document.
    ///
    /// Throws if a damaged file contains a value of another type, for which a subscript of the row would trap.
    static func document(of kind: String, _ row: Row) throws -> StoredDocument {
        StoredDocument(
            reference: EntityReference(kind: kind, key: try row.decode(SQLText.self, forColumn: "key").text),
            version: try row.decode(forColumn: "version"),
            schemaVersion: try row.decode(forColumn: "schema_version"),
            json: Data(try row.decode(String.self, forColumn: "document").utf8)
        )
    }

    static func events(after position: Int64, limit: Int, in database: Database) throws -> [EventRecord] {
        let statement = try database.cachedStatement(
            sql: "SELECT * FROM event WHERE position > ? ORDER BY position LIMIT ?"
        )
        return try Row.fetchAll(statement, arguments: [position, max(0, limit)]).map { try event($0) }
    }

    /// Reads one event of the log.
    static func event(_ row: Row) throws -> EventRecord {
        EventRecord(
            position: try row.decode(forColumn: "position"),
            event: NewEvent(
                id: try identifier(row, "id"),
                name: try row.decode(SQLText.self, forColumn: "name").text,
                version: try row.decode(forColumn: "version"),
                stream: try stream(of: row),
                recordedAt: Date(milliseconds: try row.decode(forColumn: "recorded_at")),
                json: Data(try row.decode(String.self, forColumn: "document").utf8),
                origin: try origin(of: row)
            )
        )
    }

    /// Reads a UUID.
    static func identifier(_ row: Row, _ column: String) throws -> UUID {
        let text: String = try row.decode(forColumn: column)
        guard let id = UUID(text: text.utf8) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "'\(text)' in '\(column)' is not a UUID")
        }
        return id
    }

    /// Reads the origin of a message.
    static func origin(of row: Row) throws -> MessageOrigin {
        guard let json = try row.decode(String?.self, forColumn: "origin") else { return .unknown }
        do {
            return try MessageOrigin(storedText: json)
        } catch {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the origin of a message is '\(json)'")
        }
    }

    /// Reads the reference to the entity that a message is about.
    static func stream(of row: Row) throws -> EntityReference? {
        guard let kind = try row.decode(SQLText?.self, forColumn: "stream_kind"),
            let key = try row.decode(SQLText?.self, forColumn: "stream_key")
        else { return nil }
        return EntityReference(kind: kind.text, key: key.text)
    }
}
#endif
