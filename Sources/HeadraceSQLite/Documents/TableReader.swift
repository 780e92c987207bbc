// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceStorage

/// Reads all tables of a file in one state.
final class TableReader: StoreContentsReader {
    private let snapshot: DatabaseSnapshot

    /// A connection that writes nothing, so that its `data_version` changes with each commit to the file.
    private let watch: DatabaseQueue
    private let version: Int?
    private let path: String

    /// Opens a connection to watch the file at `path`, and then the snapshot.
    init(path: String, _ makeSnapshot: () throws -> DatabaseSnapshot) throws {
        self.path = path
        var configuration = Configuration()
        configuration.readonly = true
        watch = try DatabaseQueue(path: path, configuration: configuration)
        version = try Self.version(watch)
        snapshot = try makeSnapshot()
    }

    func rows(of table: StoreTable, after key: [StoreValue]?, limit: Int) async throws -> [[StoreValue]] {
        try await SQLiteErrorMapper(path: path).translating {
            try await snapshot.read { try Self.rows(of: table, after: key, limit: limit, in: $0) }
        }
    }

    func lastNumbers() async throws -> [String: Int64] {
        try await SQLiteErrorMapper(path: path).translating {
            try await snapshot.read { database in
                var numbers: [String: Int64] = [:]
                for row in try Row.fetchAll(database, sql: "SELECT name, seq FROM sqlite_sequence") {
                    let name: String = try row.decode(forColumn: "name")
                    let number: Int64 = try row.decode(forColumn: "seq")
                    if name.hasPrefix(StoreSchema.prefix) {
                        numbers[String(name.dropFirst(StoreSchema.prefix.count))] = number
                    }
                }
                for table in [StoreTable.kinds, .subscriptions] {
                    numbers[table.name] = try database.integer("SELECT max(id) FROM \(StoreSchema.prefix)\(table.name)")
                }
                return numbers
            }
        }
    }

    func prunedPosition() async throws -> Int64 {
        try await SQLiteErrorMapper(path: path).translating {
            try await snapshot.read { try $0.integer("SELECT position FROM headrace_pruned_event") ?? 0 }
        }
    }

    func requireUnchanged() async throws {
        let now = try SQLiteErrorMapper(path: path).translating { try Self.version(watch) }
        if now == version { return }
        throw StoreError(
            code: .locked,
            message: """
                '\(path)' was changed by a program while it was copied, so the copy lacks the change, and nothing was \
                copied. To fix, end the programs that use the file, and copy it again.
                """
        )
    }

    private static func version(_ queue: DatabaseQueue) throws -> Int? {
        try queue.unsafeRead { try Int.fetchOne($0, sql: "PRAGMA data_version") }
    }

    private static func rows(
        of table: StoreTable,
        after key: [StoreValue]?,
        limit: Int,
        in database: Database
    ) throws -> [[StoreValue]] {
        let columns = table.columns.map(\.name).joined(separator: ", ")
        let keys = table.keyColumns.map(\.name).joined(separator: ", ")
        let marks = table.keyColumns.map { _ in "?" }.joined(separator: ", ")
        let condition = key == nil ? "" : "WHERE (\(keys)) > (\(marks))"
        let sql = "SELECT \(columns) FROM \(StoreSchema.prefix)\(table.name) \(condition) ORDER BY \(keys) LIMIT ?"
        return try database.withPreparedStatement(sql) { statement in
            for value in key ?? [] {
                switch value {
                case .integer(let number): statement.bind(number)
                case .name(let name): statement.bind(name.map { String(decoding: $0, as: UTF8.self) })
                case .flag, .text, .id: preconditionFailure("no key of a table has such a column")
                }
            }
            statement.bind(limit)
            var rows: [[StoreValue]] = []
            while try statement.next() {
                var row: [StoreValue] = []
                for (index, column) in table.columns.enumerated() {
                    row.append(try value(of: column.kind, in: CInt(index), of: statement))
                }
                rows.append(row)
            }
            return rows
        }
    }

    private static func value(
        of kind: StoreTable.Column.Kind,
        in column: CInt,
        of statement: borrowing PreparedStatement
    ) throws -> StoreValue {
        let isNull = statement.isNull(column)
        switch kind {
        case .integer:
            return .integer(isNull ? nil : try statement.integer(column))
        case .flag:
            return .flag(try statement.integer(column) as Int64 != 0)
        case .name:
            return .name(isNull ? nil : Array(try statement.text(column).utf8))
        case .plainText:
            return .text(isNull ? nil : Array(try statement.text(column).utf8))
        case .text:
            return .text(isNull ? nil : Array(try statement.utf8(column)))
        case .id:
            let text = try statement.text(column)
            guard let id = UUID(uuidString: text) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "'\(text)' is not a UUID")
            }
            return .id(id)
        }
    }
}
#endif
