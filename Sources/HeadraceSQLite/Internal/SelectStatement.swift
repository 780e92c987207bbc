//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
import Foundation
import GRDB
import HeadraceDomain

/// A statement that reads documents of one kind, in pieces that end up in the order of SQL.
struct SelectStatement: Sendable {
    private var join = ""
    private var joinArguments: [DatabaseValue] = []
    private var conditions = "entity.kind = ?"
    private var conditionArguments: [DatabaseValue]
    private var order = "entity.key"
    var limit: Int?

    init(kind: Int64) {
        conditionArguments = [kind.databaseValue]
    }

    /// Requires a value in the index `number` that passes `test`.
    mutating func require(_ test: IndexTest, in number: Int64) {
        var tests = ["index_id = ?"]
        conditionArguments.append(number.databaseValue)
        switch test {
        case .oneOf(let values):
            let places = Array(repeating: "?", count: values.count).joined(separator: ", ")
            tests.append("value IN (\(places))")
            conditionArguments += values.sorted().map(\.databaseValue)
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

    /// Orders by the value in the index `number` that comes first.
    mutating func order(by number: Int64, descending: Bool) {
        let first = descending ? "max" : "min"
        let direction = descending ? "DESC" : "ASC"
        join = """
             JOIN (SELECT key, \(first)(value) AS value FROM index_entry WHERE index_id = ? GROUP BY key) AS place \
            ON place.key = entity.key
            """
        joinArguments = [number.databaseValue]
        order = "place.value \(direction), entity.key \(direction)"
    }

    var sql: String {
        """
        SELECT entity.key, entity.version, entity.schema_version, entity.document FROM entity\(join) \
        WHERE \(conditions) ORDER BY \(order) LIMIT ?
        """
    }

    var arguments: StatementArguments {
        // A negative limit is none. <https://www.sqlite.org/lang_select.html#limitoffset>
        StatementArguments(joinArguments + conditionArguments + [(limit.map { max(0, $0) } ?? -1).databaseValue])
    }
}

extension IndexValue {
    /// The value as SQLite keeps it: its order, numbers before text, text by its bytes, is SQLite's own.
    var databaseValue: DatabaseValue {
        switch self {
        case .integer(let number): number.databaseValue
        case .text(let text): StoredText(text).databaseValue
        }
    }
}
#endif
