// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation

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
