// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceStorage

/// Reads the tables of a store on one connection.
struct PostgresTableReader: StoreTableReader {
    let session: Session

    func rows(of table: StoreTable, after key: [StoreValue]?, limit: Int) async throws -> [[StoreValue]] {
        let columns = table.columns.map(\.name).joined(separator: ", ")
        let keys = table.keyColumns.map(\.name).joined(separator: ", ")
        let marks = table.keyColumns.indices.map { "$\($0 + 2)" }.joined(separator: ", ")
        let condition = key == nil ? "" : "WHERE (\(keys)) > (\(marks))"
        let rows = try await session.run(
            "SELECT \(columns) FROM \(table.name) \(condition) ORDER BY \(keys) LIMIT $1",
            [.integer(Int64(limit))] + (key ?? []).map(PostgresValue.init),
            isLimited: false
        )
        return try rows.rows.map { row in
            try table.columns.enumerated().map { try Self.value(of: $1.kind, in: $0, of: row) }
        }
    }

    private static func value(
        of kind: StoreTable.Column.Kind,
        in column: Int,
        of row: PostgresRow
    ) throws -> StoreValue {
        switch kind {
        case .integer: .integer(row.optionalInteger(column))
        case .flag: .flag(try row.flag(column))
        case .name: .name(row.optionalBytes(column).map { Array($0) })
        case .text, .plainText: .text(row.optionalBytes(column).map { Array($0) })
        case .id: .id(try row.id(column))
        }
    }
}

extension PostgresValue {
    /// The argument for a value of a row.
    init(_ value: StoreValue) {
        self =
            switch value {
            case .integer(let number): .integer(number)
            case .flag(let flag): .flag(flag)
            case .name(let bytes): .bytes(bytes)
            case .text(let bytes): .text(bytes)
            case .id(let id): .id(id)
            }
    }
}
#endif
