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

/// Reads documents and messages from rows.
enum DocumentRows {
    /// Reads a document from the columns key, version, schema version, and document, from `first` on.
    static func document(of kind: String, _ row: PostgresRow, from first: Int = 0) throws -> StoredDocument {
        StoredDocument(
            reference: EntityReference(kind: kind, key: try row.text(first)),
            version: Int(try row.integer(first + 1)),
            schemaVersion: Int(try row.integer(first + 2)),
            json: Data(try row.bytes(first + 3))
        )
    }

    /// Reads an event from the columns of ``LeaseProcedure/event``, from `first` on.
    static func event(_ row: PostgresRow, from first: Int = 0) throws -> EventRecord {
        EventRecord(
            position: try row.integer(first),
            event: NewEvent(
                id: try row.id(first + 1),
                name: try row.text(first + 2),
                version: Int(try row.integer(first + 3)),
                stream: stream(row, from: first + 4),
                recordedAt: Date(milliseconds: try row.integer(first + 6)),
                json: Data(try row.bytes(first + 7)),
                origin: try origin(row, first + 8)
            )
        )
    }

    /// Reads a scheduled message from the columns of ``LeaseProcedure/message``, from `first` on.
    static func message(_ row: PostgresRow, from first: Int) throws -> ScheduledMessage {
        let kind = try row.text(first + 2)
        guard let kind = ScheduledMessage.Kind(rawValue: kind) else {
            throw PostgresFailure.refused(state: "XX001", message: "a scheduled message is of kind '\(kind)'")
        }
        return ScheduledMessage(
            id: try row.id(first + 1),
            kind: kind,
            name: try row.text(first + 3),
            version: Int(try row.integer(first + 4)),
            stream: stream(row, from: first + 5),
            dueAt: Date(milliseconds: try row.integer(first + 7)),
            json: Data(try row.bytes(first + 8)),
            origin: try origin(row, first + 9)
        )
    }

    /// Reads the message of a delivery: the columns of an event from `first` on, then those of a scheduled message.
    static func content(_ row: PostgresRow, from first: Int) throws -> Delivery.Content {
        if row.optionalBytes(first) != nil { return .event(try event(row, from: first)) }
        if row.optionalBytes(first + 9) != nil { return .scheduled(try message(row, from: first + 9)) }
        return .missing
    }

    private static func stream(_ row: PostgresRow, from first: Int) -> EntityReference? {
        guard let kind = row.optionalText(first), let key = row.optionalText(first + 1) else { return nil }
        return EntityReference(kind: kind, key: key)
    }

    private static func origin(_ row: PostgresRow, _ column: Int) throws -> MessageOrigin {
        guard let text = row.optionalText(column) else { return .unknown }
        do {
            return try MessageOrigin(storedText: text)
        } catch {
            throw PostgresFailure.refused(state: "XX001", message: "the origin of a message is '\(text)'")
        }
    }
}

/// A statement that reads documents of one kind.
struct SelectStatement: Sendable {
    private(set) var values: [PostgresValue] = []
    private var conditions = ""
    private var source: String
    private var order: String
    private var isDescending = false
    private var isOrderedByValue = false
    private var rest = ""

    /// Creates the statement, or returns `nil` if the query uses an undeclared index, and so matches nothing.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - kind: The number of its kind.
    ///   - index: Returns the index with a name, or `nil`.
    init?(_ query: DocumentQuery, kind: Int64, index: (String) -> PostgresSchemaIDs.Index?) {
        source = ""
        order = ""
        let kind = Self.bind(.integer(kind), in: &values)
        if let wanted = query.order {
            guard let index = index(wanted.index) else { return nil }
            order(by: index, of: kind, descending: wanted.isDescending)
        } else {
            source = "entity WHERE entity.kind = \(kind)"
            order = "entity.key"
        }
        for condition in query.conditions {
            guard let index = index(condition.index) else { return nil }
            require(condition.test, in: index)
        }
        if let place = query.after { begin(after: place) }
        if let limit = query.limit { rest = " LIMIT \(Self.bind(.integer(Int64(max(0, limit))), in: &values))" }
    }

    var sql: String {
        """
        SELECT entity.key, entity.version, entity.schema_version, entity.document \
        FROM \(source)\(conditions) ORDER BY \(order)\(rest)
        """
    }

    /// The statement that counts the documents; it takes the same ``values``.
    var countSQL: String {
        "SELECT count(*) FROM (SELECT 1 FROM \(source)\(conditions)\(rest)) AS matches"
    }

    private static func bind(_ value: PostgresValue, in values: inout [PostgresValue]) -> String {
        values.append(value)
        return "$\(values.count)"
    }

    private mutating func order(by index: PostgresSchemaIDs.Index, of kind: String, descending: Bool) {
        let number = Self.bind(.integer(index.id), in: &values)
        let direction = descending ? "DESC" : "ASC"
        // A document with several values is at the first of them, in the direction of the order.
        let place =
            index.holdsOneValue
            ? "index_entry"
            : """
            (SELECT DISTINCT ON (key) index_id, key, value FROM index_entry WHERE index_id = \(number) \
            ORDER BY key, value \(direction))
            """
        source = """
            \(place) AS place JOIN entity ON entity.kind = \(kind) AND entity.key = place.key \
            WHERE place.index_id = \(number)
            """
        order = "place.value \(direction), place.key \(direction)"
        isDescending = descending
        isOrderedByValue = true
    }

    private mutating func require(_ test: IndexPredicate, in index: PostgresSchemaIDs.Index) {
        var tests = ["index_id = \(Self.bind(.integer(index.id), in: &values))"]
        switch test {
        case .oneOf(let wanted):
            tests.append("value = ANY (\(Self.bind(.byteStrings(wanted.map(\.sortKey)), in: &values)))")
        case .range(let lower, let upper):
            if let lower { tests.append("value >= \(Self.bind(.bytes(lower.sortKey), in: &values))") }
            if let upper { tests.append("value < \(Self.bind(.bytes(upper.sortKey), in: &values))") }
        }
        conditions += " AND entity.key IN (SELECT key FROM index_entry WHERE \(tests.joined(separator: " AND ")))"
    }

    private mutating func begin(after place: DocumentQuery.Place) {
        let comparison = isDescending ? "<" : ">"
        let key = Self.bind(.bytes([UInt8](place.key)), in: &values)
        if isOrderedByValue, let value = place.value {
            let value = Self.bind(.bytes(value.sortKey), in: &values)
            conditions += " AND (place.value, place.key) \(comparison) (\(value), \(key))"
        } else {
            conditions += " AND entity.key \(comparison) \(key)"
        }
    }
}

extension IndexValue {
    /// Bytes in the order of the values: numbers before text, text by its UTF-8 bytes.
    var sortKey: [UInt8] {
        switch self {
        case .integer(let number):
            // With the sign bit flipped, negative numbers come first.
            [1] + (0..<8).map { UInt8(truncatingIfNeeded: (UInt64(bitPattern: number) ^ 1 << 63) >> (56 - 8 * $0)) }
        case .text(let text):
            [2] + Array(text.utf8)
        }
    }

    /// Reads the value of a sort key.
    init(sortKey: some Collection<UInt8>) {
        let rest = sortKey.dropFirst()
        if sortKey.first == 1 {
            let number = rest.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            self = .integer(Int64(bitPattern: number ^ 1 << 63))
        } else {
            self = .text(String(decoding: rest, as: UTF8.self))
        }
    }
}
#endif
