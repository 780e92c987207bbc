// SPDX-License-Identifier: Apache-2.0

import GRDB

/// Copies the rows of the books with raw GRDB: 64 transactions of the ledger, with all their rows, in each commit.
struct RowCopy {
    private struct Table {
        let name: String
        let columnCount: Int
        let rows: [StatementArguments]
    }

    /// Number of rows.
    var count: Int { tables.reduce(0) { $0 + $1.rows.count } }

    /// Number of commits.
    let batchCount: Int

    private let statements: [String]
    private let tables: [Table]

    /// Reads all rows of the books at `path`.
    ///
    /// The books must not be open.
    init(of path: String) throws {
        let source = try DatabaseQueue(path: path)
        (statements, tables, batchCount) = try source.read { database in
            let objects = try Row.fetchAll(
                database,
                sql: "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
            )
            let tables = try objects.filter { $0["type"] == "table" }.map { object in
                let name: String = object["name"]
                let rows = try Row.fetchAll(database, sql: "SELECT * FROM \"\(name)\"")
                return Table(
                    name: name,
                    columnCount: try database.columns(in: name).count,
                    rows: rows.map { StatementArguments($0.databaseValues) }
                )
            }
            let transactions = try Int.fetchOne(
                database,
                sql: """
                    SELECT count(*) FROM headrace_entity AS entity
                    JOIN headrace_entity_kind AS entity_kind ON entity.kind = entity_kind.id
                    WHERE entity_kind.name = 'transaction'
                    """
            )
            return (objects.map { $0["sql"] }, tables, max(1, ((transactions ?? 0) + 63) / 64))
        }
    }

    /// Writes the rows into a new database at `path`, as durably as the books are written.
    ///
    /// - Returns: The time in seconds, without the creation of the tables.
    func write(to path: String) throws -> Double {
        let target = try DatabaseQueue(path: path)
        try target.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF")
            for statement in statements { try database.execute(sql: statement) }
        }
        let start = ContinuousClock.now
        for batch in 0..<batchCount {
            try target.write { database in
                for table in tables {
                    let places = databaseQuestionMarks(count: table.columnCount)
                    let sql = "INSERT INTO \"\(table.name)\" VALUES (\(places))"
                    let insertion = try database.cachedStatement(sql: sql)
                    let share = table.rows.count * batch / batchCount..<table.rows.count * (batch + 1) / batchCount
                    for row in table.rows[share] { try insertion.execute(arguments: row) }
                }
            }
        }
        return (ContinuousClock.now - start) / .seconds(1)
    }
}
