// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceStorage

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
#endif
