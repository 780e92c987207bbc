// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceCore
import HeadraceStorage

/// Reads documents and events.
enum DocumentReader {
    static func document(of reference: EntityReference, kind: Int64, in database: Database) throws -> StoredDocument? {
        try database.withPreparedStatement(
            "SELECT version, schema_version, document FROM headrace_entity WHERE kind = ? AND key = ?"
        ) { statement in
            statement.bind(kind)
            statement.bind(reference.key)
            guard try statement.next() else { return nil }
            return StoredDocument(
                reference: reference,
                version: try statement.integer(0),
                schemaVersion: try statement.integer(1),
                json: try statement.utf8(2)
            )
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
        by statement: DocumentStatement,
        in database: Database
    ) throws -> [StoredDocument] {
        try database.withPreparedStatement(statement.sql) { row in
            for argument in statement.arguments { row.bind(argument) }
            var documents: [StoredDocument] = []
            while try row.next() {
                documents.append(
                    StoredDocument(
                        reference: EntityReference(kind: kind, key: try row.text(0)),
                        version: try row.integer(1),
                        schemaVersion: try row.integer(2),
                        json: try row.utf8(3)
                    )
                )
            }
            return documents
        }
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

    /// Computes the index entries of `document`.
    ///
    /// - Throws: The errors of `EntitySchema.Kind.entries(of:reading:)`.
    static func indexed(
        _ document: StoredDocument,
        _ kind: EntitySchema.Kind,
        ids: SchemaIDs,
        in database: Database
    ) throws -> IndexedDocument {
        IndexedDocument(document, try kind.entries(of: document) { try documents(of: $0, ids: ids, in: database) })
    }

    static func events(after position: Int64, limit: Int, in database: Database) throws -> [EventRecord] {
        try database.withPreparedStatement(
            "SELECT \(eventColumns) FROM headrace_event AS event WHERE position > ? ORDER BY position LIMIT ?"
        ) { statement in
            statement.bind(position)
            statement.bind(max(0, limit))
            var events: [EventRecord] = []
            while try statement.next() { events.append(try event(statement, from: 0)) }
            return events
        }
    }

    /// The columns of an event, in the order that ``event(_:from:)`` reads.
    static let eventColumns = """
        event.position, event.id, event.name, event.version, event.stream_kind, event.stream_key, event.recorded_at, \
        event.document, event.origin
        """

    /// Reads an event of the log from ``eventColumns``, which begin at the column `first`.
    static func event(_ row: borrowing PreparedStatement, from first: CInt) throws -> EventRecord {
        EventRecord(
            position: try row.integer(first),
            event: NewEvent(
                id: try identifier(row, first + 1),
                name: try row.text(first + 2),
                version: try row.integer(first + 3),
                stream: try stream(of: row, from: first + 4),
                recordedAt: Date(milliseconds: try row.integer(first + 6)),
                json: try row.utf8(first + 7),
                origin: try origin(of: row, first + 8)
            )
        )
    }

    /// Reads a UUID.
    static func identifier(_ row: borrowing PreparedStatement, _ column: CInt) throws -> UUID {
        let text = try row.text(column)
        guard let id = UUID(text: text.utf8) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "'\(text)' is not a UUID")
        }
        return id
    }

    /// Reads the origin of a message.
    static func origin(of row: borrowing PreparedStatement, _ column: CInt) throws -> MessageOrigin {
        if row.isNull(column) { return .unknown }
        let json = try row.text(column)
        do {
            return try MessageOrigin(storedText: json)
        } catch {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the origin of a message is '\(json)'")
        }
    }

    /// Reads the reference to the entity that a message is about, from two columns.
    static func stream(of row: borrowing PreparedStatement, from first: CInt) throws -> EntityReference? {
        if row.isNull(first) || row.isNull(first + 1) { return nil }
        return EntityReference(kind: try row.text(first), key: try row.text(first + 1))
    }
}
#endif
