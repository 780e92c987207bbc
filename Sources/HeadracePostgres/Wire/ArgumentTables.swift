// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation

/// Rows of arguments for a procedure, which takes each column as an array.
///
/// The first letter of a column's name is the name of its table.
struct ArgumentTables {
    enum Cell {
        case integer(Int64?)
        case bytes([UInt8]?)
        case id(UUID)

        static func text(_ text: String?) -> Cell {
            .bytes(text.map { [UInt8]($0) })
        }
    }

    private let columns: [(name: String, type: String)]
    private var tables: [Character: [[Cell]]] = [:]

    init(_ columns: [(name: String, type: String)]) {
        self.columns = columns
    }

    /// Number of rows in a table.
    func count(_ table: Character) -> Int { tables[table]?.count ?? 0 }

    /// Appends a row to a table, with a cell for each of its columns.
    mutating func append(_ table: Character, _ cells: Cell...) {
        append(table, all: cells)
    }

    /// The variant of ``append(_:_:)`` with an array.
    mutating func append(_ table: Character, all cells: [Cell]) {
        tables[table, default: []].append(cells)
    }

    /// The columns of all tables, in the order of the procedure.
    var values: [PostgresValue] {
        var positions: [Character: Int] = [:]
        return columns.map { column in
            let table = column.name.first ?? "_"
            let position = positions[table, default: 0]
            positions[table] = position + 1
            let cells = (tables[table] ?? []).map { $0[position] }
            switch column.type {
            case "bigint":
                return .integers(cells.map { if case .integer(let number) = $0 { number } else { nil } })
            case "uuid":
                return .ids(cells.compactMap { if case .id(let id) = $0 { id } else { nil } })
            default:
                let strings = cells.map { cell -> [UInt8]? in if case .bytes(let bytes) = cell { bytes } else { nil } }
                return column.type == "text" ? .texts(strings) : .byteStrings(strings)
            }
        }
    }
}
#endif
