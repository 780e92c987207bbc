// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceStorage

/// The rows that a statement returns, in the binary format of PostgreSQL.
struct PostgresRows: Sendable {
    /// The place of a value in ``bytes``, or `nil` for NULL.
    var cells: [Range<Int>?] = []
    var bytes: [UInt8] = []
    var columnCount = 0

    /// Number of rows.
    var count: Int { columnCount == 0 ? 0 : cells.count / columnCount }

    /// The rows, in their order.
    var rows: [PostgresRow] { (0..<count).map { PostgresRow(all: self, index: $0) } }

    /// The first row, if there is one.
    var first: PostgresRow? { count == 0 ? nil : PostgresRow(all: self, index: 0) }
}

/// One row; columns are numbered from 0.
struct PostgresRow {
    fileprivate let all: PostgresRows
    fileprivate let index: Int

    /// Returns the bytes of a column, or `nil` for NULL.
    func optionalBytes(_ column: Int) -> ArraySlice<UInt8>? {
        all.cells[index * all.columnCount + column].map { all.bytes[$0] }
    }

    /// Returns the bytes of a column.
    ///
    /// - Throws: ``PostgresFailure`` if the column is NULL.
    func bytes(_ column: Int) throws -> ArraySlice<UInt8> {
        guard let bytes = optionalBytes(column) else {
            throw PostgresFailure.refused(state: "22004", message: "column \(column) is NULL")
        }
        return bytes
    }

    /// Returns the number of a column, or `nil` for NULL.
    func optionalInteger(_ column: Int) -> Int64? {
        optionalBytes(column).map { bytes in
            let isNegative = bytes.first.map { $0 >= 0x80 } ?? false
            return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
        }
    }

    /// Returns the number of a column.
    ///
    /// - Throws: ``PostgresFailure`` if the column is NULL.
    func integer(_ column: Int) throws -> Int64 {
        _ = try bytes(column)
        return optionalInteger(column) ?? 0
    }

    /// Returns the numbers of a column with an array, or `nil` for NULL.
    ///
    /// Related documentation: `array_send` in <https://github.com/postgres/postgres/blob/master/src/backend/utils/adt/arrayfuncs.c>.
    ///
    /// - Throws: ``PostgresFailure`` if the array isn't one of numbers, with one dimension.
    func optionalIntegers(_ column: Int) throws -> [Int64?]? {
        guard var rest = optionalBytes(column) else { return nil }
        func take(_ count: Int) throws -> Int64 {
            guard rest.count >= count else {
                throw PostgresFailure.refused(state: "22P03", message: "column \(column) is not an array of numbers")
            }
            defer { rest = rest.dropFirst(count) }
            let isNegative = rest.first.map { $0 >= 0x80 } ?? false
            return rest.prefix(count).reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
        }
        let dimensions = try take(4)
        // Whether NULL occurs, and the type of the items.
        _ = try (take(4), take(4))
        if dimensions == 0 { return [] }
        let count = try take(4)
        _ = try take(4)
        return try (0..<max(0, Int(count))).map { _ in
            let length = try take(4)
            return length < 0 ? nil : try take(Int(length))
        }
    }

    /// Returns the Boolean of a column.
    ///
    /// - Throws: ``PostgresFailure`` if the column is NULL.
    func flag(_ column: Int) throws -> Bool {
        try bytes(column).first == 1
    }

    /// Returns the text of a column, which can also be a `bytea` with UTF-8.
    ///
    /// - Throws: ``PostgresFailure`` if the column is NULL.
    func text(_ column: Int) throws -> String {
        String(decoding: try bytes(column), as: UTF8.self)
    }

    /// Returns the text of a column, or `nil` for NULL.
    func optionalText(_ column: Int) -> String? {
        optionalBytes(column).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the UUID of a column.
    ///
    /// - Throws: ``PostgresFailure`` if the column is not a UUID.
    func id(_ column: Int) throws -> UUID {
        let bytes = Array(try bytes(column))
        guard bytes.count == 16 else {
            throw PostgresFailure.refused(state: "22P03", message: "column \(column) is not a UUID")
        }
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }
}

/// A parameter of a statement, in the binary format of PostgreSQL.
///
/// Lists are arrays: a statement has at most 65,535 parameters, but any number of elements.
enum PostgresValue: Sendable {
    case integer(Int64?)
    case flag(Bool)
    case text([UInt8]?)
    case bytes([UInt8]?)
    case id(UUID)
    case integers([Int64?])
    case texts([[UInt8]?])
    case byteStrings([[UInt8]?])
    case ids([UUID])

    /// The number of the type in the catalogue of each server.
    var type: UInt32 {
        switch self {
        case .integer: 20
        case .flag: 16
        case .text: 25
        case .bytes: 17
        case .id: 2950
        case .integers: 1016
        case .texts: 1009
        case .byteStrings: 1001
        case .ids: 2951
        }
    }

    /// Appends the value to `buffer`, and returns `false` if it is NULL.
    func encode(into buffer: inout [UInt8]) -> Bool {
        switch self {
        case .integer(let number?):
            buffer.append(bigEndian: number)
        case .flag(let flag):
            buffer.append(flag ? 1 : 0)
        case .text(let bytes?), .bytes(let bytes?):
            buffer += bytes
        case .integer(nil), .text(nil), .bytes(nil):
            return false
        case .id(let id):
            buffer.append(id)
        case .integers(let numbers):
            buffer.append(arrayOf: 20, numbers) { buffer, number in number.map { buffer.append(bigEndian: $0) } }
        case .texts(let texts):
            buffer.append(arrayOf: 25, texts) { buffer, text in text.map { buffer += $0 } }
        case .byteStrings(let strings):
            buffer.append(arrayOf: 17, strings) { buffer, bytes in bytes.map { buffer += $0 } }
        case .ids(let ids):
            buffer.append(arrayOf: 2950, ids) { buffer, id in buffer.append(id) }
        }
        return true
    }
}

extension [UInt8] {
    /// The UTF-8 of `text`.
    init(_ text: String) {
        self = Array(text.utf8)
    }

    fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    fileprivate mutating func append(_ id: UUID) {
        let bytes = id.uuid
        self += [
            bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7,
            bytes.8, bytes.9, bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15,
        ]
    }

    /// Appends an array of one dimension; an item is NULL if `encode` returns `nil`.
    ///
    /// Related documentation: `array_recv` in <https://github.com/postgres/postgres/blob/master/src/backend/utils/adt/arrayfuncs.c>.
    fileprivate mutating func append<Item>(
        arrayOf type: Int32,
        _ items: [Item],
        encode: (inout [UInt8], Item) -> Void?
    ) {
        append(bigEndian: Int32(items.isEmpty ? 0 : 1))
        append(bigEndian: Int32(1))
        append(bigEndian: type)
        if items.isEmpty { return }
        append(bigEndian: Int32(items.count))
        append(bigEndian: Int32(1))
        for item in items {
            let start = count
            append(bigEndian: Int32(-1))
            guard encode(&self, item) != nil else { continue }
            var length: [UInt8] = []
            length.append(bigEndian: Int32(count - start - 4))
            replaceSubrange(start..<start + 4, with: length)
        }
    }
}
#endif
