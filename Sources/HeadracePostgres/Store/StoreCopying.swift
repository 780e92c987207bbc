// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceStorage

/// Copies the contents of another store into the new tables of a schema, within the transaction that creates them.
struct StoreCopying {
    /// Number of rows in a statement.
    private static let pageSize = 200

    /// The sequences of numbers that must not be used again.
    ///
    /// The numbers of the other tables come from identity columns.
    private static let sequences = [
        StoreTable.events.name: "event_position", StoreTable.lanes.name: "lane_id",
        StoreTable.scheduled.name: "message_number",
    ]

    let contents: any StoreContentsReader
    let mapper: PostgresErrorMapper

    /// Requires that the schema has no tables.
    func requireEmpty(_ session: Session, schema: String) async throws {
        let rows = try await session.run(
            "SELECT count(*) FROM pg_tables WHERE schemaname = $1", [.text([UInt8](schema))])
        if try rows.first?.integer(0) == 0 { return }
        throw mapper.unusable(
            "it has tables, and a copy needs an empty schema. Nothing was copied",
            remedy: "name another schema, or remove this one: DROP SCHEMA … CASCADE"
        )
    }

    /// Copies all rows, and compares them with the original.
    ///
    /// - Returns: Number of rows by table.
    func copy(on session: Session) async throws -> [StoreTable: Int] {
        var counts: [StoreTable: Int] = [:]
        for table in StoreTable.all {
            try await contents.forEachPage(of: table, limit: Self.pageSize) { page in
                for row in page { try requireLengths(row, of: table) }
                try await insert(page, into: table, session)
                counts[table, default: 0] += page.count
            }
        }
        for (table, number) in try await contents.lastNumbers() where number > 0 {
            let sequence = Self.sequences[table].map { "'\($0)'" } ?? "pg_get_serial_sequence('\(table)', 'id')"
            _ = try await session.run("SELECT setval(\(sequence), $1)", [.integer(number)], isPrepared: false)
        }
        _ = try await session.run(
            "UPDATE store SET pruned_position = $1", [.integer(try await contents.prunedPosition())], isPrepared: false)
        for table in StoreTable.all { try await compare(table, count: counts[table] ?? 0, session) }
        return counts
    }

    /// Ends the copy, when the indexes are built.
    ///
    /// The planner needs statistics at once: a relay can start before the server collects them.
    func finish(_ session: Session) async throws {
        for table in StoreTable.all.map(\.name) + ["index_entry"] {
            _ = try await session.run("ANALYZE \(table)", isPrepared: false, isLimited: false)
        }
        try await contents.requireUnchanged()
    }

    private func insert(_ page: [[StoreValue]], into table: StoreTable, _ session: Session) async throws {
        let columns = table.columns.map(\.name).joined(separator: ", ")
        let values = table.columns.map { $0.kind == .flag ? "\($0.name) <> 0" : $0.name }.joined(separator: ", ")
        let arrays = table.columns.enumerated().map { "$\($0 + 1)::\($1.kind.arrayType)" }.joined(separator: ", ")
        _ = try await session.run(
            """
            INSERT INTO \(table.name) (\(columns)) OVERRIDING SYSTEM VALUE
            SELECT \(values) FROM unnest(\(arrays)) AS copied (\(columns))
            """,
            table.columns.indices.map { column in Self.array(page.map { $0[column] }, of: table.columns[column].kind) },
            isLimited: false
        )
    }

    private static func array(_ values: [StoreValue], of kind: StoreTable.Column.Kind) -> PostgresValue {
        switch kind {
        case .integer, .flag: .integers(values.map(\.number))
        case .name: .byteStrings(values.map(\.bytes))
        case .text, .plainText: .texts(values.map(\.bytes))
        case .id: .ids(values.compactMap(\.id))
        }
    }

    private func requireLengths(_ row: [StoreValue], of table: StoreTable) throws {
        // The reason of a dead letter is in no index.
        for (column, value) in zip(table.columns, row) where column.kind == .name && column.name != "reason" {
            if let bytes = value.bytes {
                try TextLimit.require(String(decoding: bytes, as: UTF8.self), "\(table.name).\(column.name)")
            }
        }
    }

    /// Requires that the server has the same rows as the original.
    private func compare(_ table: StoreTable, count: Int, _ session: Session) async throws {
        let copy = PostgresTableReader(session: session)
        var last: [StoreValue]?
        var found = 0
        try await contents.forEachPage(of: table, limit: Self.pageSize) { page in
            let rows = try await copy.rows(of: table, after: last, limit: page.count)
            if rows != page { throw differs(table) }
            last = page.last.map { table.key(of: $0) }
            found += rows.count
        }
        let rest = try await copy.rows(of: table, after: last, limit: 1)
        if found != count || !rest.isEmpty { throw differs(table) }
    }

    private func differs(_ table: StoreTable) -> StoreError {
        mapper.unusable(
            "the copy of the table '\(table.name)' differs from the original, so nothing was copied",
            remedy: "check the disks of both machines, and copy it again"
        )
    }
}

extension StoreValue {
    /// The number, or the Boolean as a number; `nil` for NULL and other values.
    fileprivate var number: Int64? {
        switch self {
        case .integer(let number): number
        case .flag(let flag): flag ? 1 : 0
        case .name, .text, .id: nil
        }
    }

    /// The UUID; `nil` for other values.
    fileprivate var id: UUID? {
        if case .id(let id) = self { id } else { nil }
    }

    /// The UTF-8; `nil` for NULL and other values.
    fileprivate var bytes: [UInt8]? {
        switch self {
        case .name(let bytes), .text(let bytes): bytes
        case .integer, .flag, .id: nil
        }
    }
}

extension StoreTable.Column.Kind {
    fileprivate var arrayType: String {
        switch self {
        case .integer, .flag: "bigint[]"
        case .name: "bytea[]"
        case .text, .plainText: "text[]"
        case .id: "uuid[]"
        }
    }
}
#endif
