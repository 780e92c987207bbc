// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
import HeadraceStorage

/// A statement that reads documents of one kind, collected in parts that are joined in the order of SQL.
struct DocumentStatement: Sendable {
    enum Order: Sendable {
        case byKey
        /// The order by an index with at most one value for each entity.
        case byValue(index: Int64)
        /// The order by the first of several values in an index.
        case byFirstValue(index: Int64)
    }

    /// A required value in an index.
    struct Condition: Sendable {
        let test: IndexPredicate
        let index: Int64

        /// Whether each entity in the order is looked up in the index; otherwise, SQLite collects all matching keys first.
        ///
        /// It decides on speed only.
        var isProbed = false
    }

    /// Number of arguments from which on the values of a condition are bound as one JSON array.
    ///
    /// SQLite accepts 32,766 arguments by default. <https://www.sqlite.org/limits.html#max_variable_number>
    private static let largestArgumentCount = 1_000

    private let kind: Int64
    var conditions: [Condition] = []
    private(set) var order = Order.byKey
    private(set) var isDescending = false
    var after: DocumentQuery.Place?
    var limit: Int?

    /// The place in the order of an index before which the documents are; `nil` for all.
    var before: DocumentQuery.Place?

    init(kind: Int64) {
        self.kind = kind
    }

    /// Requires a value in the index `number` that passes `test`.
    mutating func require(_ test: IndexPredicate, in number: Int64) {
        conditions.append(Condition(test: test, index: number))
    }

    /// Orders by the first value in `index`.
    mutating func order(by index: SchemaIDs.Index, descending: Bool) {
        order = index.holdsOneValue ? .byValue(index: index.id) : .byFirstValue(index: index.id)
        isDescending = descending
    }

    /// The statement for all documents that pass the conditions, in the order of their keys.
    var unordered: DocumentStatement {
        var statement = DocumentStatement(kind: kind)
        statement.conditions = conditions.map { Condition(test: $0.test, index: $0.index) }
        return statement
    }

    // MARK: SQL

    /// A part of a statement with its arguments.
    struct Part {
        var sql: String
        var arguments: [IndexValue] = []

        static func + (left: Part, right: Part) -> Part {
            Part(sql: left.sql + right.sql, arguments: left.arguments + right.arguments)
        }
    }

    var sql: String {
        """
        SELECT entity.key, entity.version, entity.schema_version, entity.document \
        FROM \(body.sql) ORDER BY \(keys) LIMIT ?
        """
    }

    /// The statement that counts the documents; it takes the same ``arguments``.
    var countSQL: String { "SELECT count(*) FROM (SELECT 1 FROM \(body.sql) LIMIT ?)" }

    var arguments: [IndexValue] {
        // A negative limit means no limit. <https://www.sqlite.org/lang_select.html#limitoffset>
        body.arguments + [.integer(Int64(limit.map { max(0, $0) } ?? -1))]
    }

    /// The statement that returns the value and the key after `count` entries of the order, without other conditions.
    func boundary(after count: Int) -> Part? {
        let number: Int64
        switch order {
        case .byKey: return nil
        case .byValue(let index), .byFirstValue(let index): number = index
        }
        return Part(
            sql: "SELECT value, key FROM headrace_index_entry AS place WHERE index_id = ?",
            arguments: [.integer(number)]
        ) + beginning
            + Part(
                sql: " ORDER BY value \(direction), key \(direction) LIMIT 1 OFFSET ?",
                arguments: [.integer(Int64(count))]
            )
    }

    private var direction: String { isDescending ? "DESC" : "ASC" }

    /// The order of the documents.
    private var keys: String {
        switch order {
        case .byKey: "entity.key \(direction)"
        case .byValue, .byFirstValue: "place.value \(direction), place.key \(direction)"
        }
    }

    /// The tables and all conditions.
    private var body: Part {
        conditions.reduce(source) { $0 + sql(of: $1) } + beginning + end
    }

    /// Tables that the documents are read from.
    private var source: Part {
        switch order {
        case .byKey:
            Part(sql: "headrace_entity AS entity WHERE entity.kind = ?", arguments: [.integer(kind)])
        case .byValue(let index):
            // Scans the index in its order, up to the limit. CROSS JOIN makes SQLite begin with the index.
            Part(
                sql: """
                    headrace_index_entry AS place CROSS JOIN headrace_entity AS entity
                    ON entity.kind = ? AND entity.key = place.key WHERE place.index_id = ?
                    """,
                arguments: [.integer(kind), .integer(index)]
            )
        case .byFirstValue(let index):
            Part(
                sql: """
                    headrace_entity AS entity JOIN (
                    SELECT key, \(isDescending ? "max" : "min")(value) AS value FROM headrace_index_entry
                    WHERE index_id = ? GROUP BY key
                    ) AS place ON place.key = entity.key WHERE entity.kind = ?
                    """,
                arguments: [.integer(index), .integer(kind)]
            )
        }
    }

    private func sql(of condition: Condition) -> Part {
        if case .byValue(index: condition.index) = order {
            // The scan of the index reads only these values.
            return Self.sql(of: condition.test, column: "place.value")
        }
        let index = Part(sql: "index_id = ?", arguments: [.integer(condition.index)])
        let test = index + Self.sql(of: condition.test, column: "value")
        if condition.isProbed {
            // SQLite looks at this before it reads the document.
            let tests = "SELECT 1 FROM headrace_index_entry WHERE key = place.key AND "
            return Part(sql: " AND EXISTS (\(tests)") + test + Part(sql: ")")
        }
        let column = if case .byValue = order { "place.key" } else { "entity.key" }
        return Part(sql: " AND \(column) IN (SELECT key FROM headrace_index_entry WHERE ") + test + Part(sql: ")")
    }

    /// The statement that counts the entries that pass `condition`, up to `limit`.
    static func count(_ condition: Condition, limit: Int) -> Part {
        Part(
            sql: "SELECT count(*) FROM (SELECT 1 FROM headrace_index_entry WHERE index_id = ?",
            arguments: [.integer(condition.index)]
        ) + sql(of: condition.test, column: "value") + Part(sql: " LIMIT ?)", arguments: [.integer(Int64(limit))])
    }

    private static func sql(of test: IndexPredicate, column: String) -> Part {
        switch test {
        case .oneOf(let values) where values.count <= largestArgumentCount:
            var arguments = values.sorted()
            // Few numbers of arguments, because a connection keeps each statement. Repeated values change nothing.
            if let last = arguments.last {
                var count = 1
                while count < arguments.count { count *= 2 }
                arguments += repeatElement(last, count: count - arguments.count)
            }
            let places = Array(repeating: "?", count: arguments.count).joined(separator: ", ")
            return Part(sql: " AND \(column) IN (\(places))", arguments: arguments)
        case .oneOf(let values):
            return Part(
                sql: " AND \(column) IN (SELECT value FROM json_each(?))", arguments: [.text(JSONList(values).text)])
        case .range(let lower, let upper):
            let from = lower.map { Part(sql: " AND \(column) >= ?", arguments: [$0]) } ?? Part(sql: "")
            return from + (upper.map { Part(sql: " AND \(column) < ?", arguments: [$0]) } ?? Part(sql: ""))
        }
    }

    /// The condition that skips all documents up to and including ``after``.
    private var beginning: Part {
        after.map { bound($0, isDescending ? "<" : ">") } ?? Part(sql: "")
    }

    /// The condition that skips ``before`` and all documents after it.
    private var end: Part {
        before.map { bound($0, isDescending ? ">" : "<") } ?? Part(sql: "")
    }

    private func bound(_ place: DocumentQuery.Place, _ comparison: String) -> Part {
        switch place.value {
        case nil:
            Part(sql: " AND entity.key \(comparison) ?", arguments: [.text(place.key)])
        case let value?:
            Part(sql: " AND (place.value, place.key) \(comparison) (?, ?)", arguments: [value, .text(place.key)])
        }
    }
}
#endif
