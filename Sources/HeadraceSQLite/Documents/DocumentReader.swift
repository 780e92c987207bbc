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

/// A statement that reads documents of one kind, collected in parts that are joined in the order of SQL.
struct DocumentStatement: Sendable {
    private enum Order {
        case byKey
        /// The order by an index with at most one value for each entity.
        case byValue(index: Int64)
        /// The order by the first of several values in an index.
        case byFirstValue(index: Int64)
    }

    /// Number of arguments from which on the values of a condition are bound as one JSON array.
    ///
    /// SQLite accepts 32,766 arguments by default. <https://www.sqlite.org/limits.html#max_variable_number>
    private static let largestArgumentCount = 1_000

    private let kind: Int64
    private var conditions = ""
    private var conditionArguments: [DatabaseValue] = []
    private var order = Order.byKey
    private var isDescending = false
    var after: DocumentQuery.Place?
    var limit: Int?

    init(kind: Int64) {
        self.kind = kind
    }

    /// Requires a value in the index `number` that passes `test`.
    mutating func require(_ test: IndexPredicate, in number: Int64) {
        var tests = ["index_id = ?"]
        conditionArguments.append(number.databaseValue)
        switch test {
        case .oneOf(let values):
            if conditionArguments.count + values.count <= Self.largestArgumentCount {
                let places = Array(repeating: "?", count: values.count).joined(separator: ", ")
                tests.append("value IN (\(places))")
                conditionArguments += values.sorted().map(\.databaseValue)
            } else {
                tests.append("value IN (SELECT value FROM json_each(?))")
                conditionArguments.append(JSONList(values).text.databaseValue)
            }
        case .range(let lower, let upper):
            if let lower {
                tests.append("value >= ?")
                conditionArguments.append(lower.databaseValue)
            }
            if let upper {
                tests.append("value < ?")
                conditionArguments.append(upper.databaseValue)
            }
        }
        let matching = "SELECT key FROM headrace_index_entry WHERE \(tests.joined(separator: " AND "))"
        conditions += " AND entity.key IN (\(matching))"
    }

    /// Orders by the first value in `index`.
    mutating func order(by index: SchemaIDs.Index, descending: Bool) {
        order = index.holdsOneValue ? .byValue(index: index.id) : .byFirstValue(index: index.id)
        isDescending = descending
    }

    private var direction: String { isDescending ? "DESC" : "ASC" }

    /// Tables that the documents are read from, and the order of their keys.
    private var source: (tables: String, order: String, arguments: [DatabaseValue]) {
        switch order {
        case .byKey:
            ("headrace_entity AS entity WHERE entity.kind = ?", "entity.key \(direction)", [kind.databaseValue])
        case .byValue(let index):
            // Scans the index in its order, up to the limit. CROSS JOIN makes SQLite begin with the index.
            (
                """
                headrace_index_entry AS place CROSS JOIN headrace_entity AS entity
                ON entity.kind = ? AND entity.key = place.key WHERE place.index_id = ?
                """,
                "place.value \(direction), place.key \(direction)",
                [kind.databaseValue, index.databaseValue]
            )
        case .byFirstValue(let index):
            (
                """
                headrace_entity AS entity JOIN (
                SELECT key, \(isDescending ? "max" : "min")(value) AS value FROM headrace_index_entry
                WHERE index_id = ? GROUP BY key
                ) AS place ON place.key = entity.key WHERE entity.kind = ?
                """,
                "place.value \(direction), place.key \(direction)",
                [index.databaseValue, kind.databaseValue]
            )
        }
    }

    /// SQL condition that skips all documents up to and including ``after``.
    private var beginning: (sql: String, arguments: [DatabaseValue]) {
        guard let after else { return ("", []) }
        let key = SQLText(after.key).databaseValue
        let comparison = isDescending ? "<" : ">"
        return switch after.value {
        case nil: (" AND entity.key \(comparison) ?", [key])
        case let value?: (" AND (place.value, place.key) \(comparison) (?, ?)", [value.databaseValue, key])
        }
    }

    var sql: String {
        """
        SELECT entity.key, entity.version, entity.schema_version, entity.document \
        FROM \(source.tables)\(conditions)\(beginning.sql) ORDER BY \(source.order) LIMIT ?
        """
    }

    /// The statement that counts the documents; it takes the same ``arguments``.
    var countSQL: String {
        "SELECT count(*) FROM (SELECT 1 FROM \(source.tables)\(conditions)\(beginning.sql) LIMIT ?)"
    }

    var arguments: StatementArguments {
        // A negative limit means no limit. <https://www.sqlite.org/lang_select.html#limitoffset>
        let limit = (limit.map { max(0, $0) } ?? -1).databaseValue
        return StatementArguments(source.arguments + conditionArguments + beginning.arguments + [limit])
    }
}

extension IndexValue {
    /// The value as SQLite stores it.
    ///
    /// SQLite's order is the order of indexes: numbers before text, text by its bytes.
    var databaseValue: DatabaseValue {
        switch self {
        case .integer(let number): number.databaseValue
        case .text(let text): SQLText(text).databaseValue
        }
    }
}
#endif
