// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceStorage

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
        let matching = "SELECT key FROM index_entry WHERE \(tests.joined(separator: " AND "))"
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
            ("entity WHERE entity.kind = ?", "entity.key \(direction)", [kind.databaseValue])
        case .byValue(let index):
            // Scans the index in its order, up to the limit. CROSS JOIN makes SQLite begin with the index.
            (
                """
                index_entry AS place CROSS JOIN entity ON entity.kind = ? AND entity.key = place.key \
                WHERE place.index_id = ?
                """,
                "place.value \(direction), place.key \(direction)",
                [kind.databaseValue, index.databaseValue]
            )
        case .byFirstValue(let index):
            (
                """
                entity JOIN (
                SELECT key, \(isDescending ? "max" : "min")(value) AS value FROM index_entry
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
