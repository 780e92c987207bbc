// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceTesting

/// A random value.
///
/// Its cases use all methods of an encoder, but no unordered collections.
indirect enum RandomTree: Encodable {
    case null, bool(Bool), integer(Int), small(Int8), big(UInt64), huge(Int128), vast(UInt128), double(Double), float(
        Float)
    case text(String), date(Date), data(Data), id(UUID), url(URL), decimal(Decimal), texts([String]), numbers([Int])
    case array([RandomTree])
    case table([String: RandomTree])
    case numbered([Int: RandomTree])
    case optional(RandomTree?)
    /// An object in an object, and an array in it.
    case nested(RandomTree, [RandomTree])
    /// As a class with a superclass writes it.
    case inherited(RandomTree, RandomTree)
    /// As an array that is written by hand.
    case unkeyed(RandomTree, RandomTree)
    /// An object whose members two values write.
    case flattened([String: RandomTree], RandomTree)
    case empty
    /// An enumeration with associated values, as the compiler encodes it.
    case choice(Choice)
    /// Members of each width.
    case widths(Widths)

    indirect enum Choice: Encodable {
        case none
        case one(RandomTree)
        case two(RandomTree, name: String)
    }

    struct Widths: Encodable {
        var b: Int8
        var a: UInt16
        var d: Int16?
        var c: UInt32
        var e: UInt64?
        var f: Double
        var g: Float
        var h: UInt8
        var i: Int64
        var j: UInt128
        var k: Bool
        var l: [Double]
        var m: [UInt8]
    }

    enum Key: String, CodingKey { case one = "b", other = "a/\"é", third = "_" }

    func encode(to encoder: any Encoder) throws {
        func write(_ value: some Encodable) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
        switch self {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try write(value)
        case .integer(let value): try write(value)
        case .small(let value): try write(value)
        case .big(let value): try write(value)
        case .huge(let value): try write(value)
        case .vast(let value): try write(value)
        case .double(let value): try write(value)
        case .float(let value): try write(value)
        case .text(let value): try write(value)
        case .date(let value): try write(value)
        case .data(let value): try write(value)
        case .id(let value): try write(value)
        case .url(let value): try write(value)
        case .decimal(let value): try write(value)
        case .texts(let value): try write(value)
        case .numbers(let value): try write(value)
        case .array(let values): try write(values)
        case .table(let values): try write(values)
        case .numbered(let values): try write(values)
        case .optional(let value): try write(value)
        case .nested(let value, let values):
            var container = encoder.container(keyedBy: Key.self)
            var inner = container.nestedContainer(keyedBy: Key.self, forKey: .one)
            try inner.encode(value, forKey: .other)
            try inner.encodeIfPresent(values.first, forKey: .one)
            try inner.encodeNil(forKey: .third)
            var list = container.nestedUnkeyedContainer(forKey: .other)
            try list.encode(contentsOf: values)
            try list.encodeNil()
        case .inherited(let value, let other):
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(value, forKey: .one)
            try other.encode(to: container.superEncoder())
            try value.encode(to: container.superEncoder(forKey: .third))
        case .unkeyed(let value, let other):
            var container = encoder.unkeyedContainer()
            try container.encode(value)
            var inner = container.nestedContainer(keyedBy: Key.self)
            try inner.encode(other, forKey: .one)
            var list = container.nestedUnkeyedContainer()
            try list.encode(value)
            try other.encode(to: container.superEncoder())
            try container.encode(container.count)
        case .flattened(let table, let value):
            try table.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(value, forKey: .other)
        case .choice(let value): try write(value)
        case .widths(let value): try write(value)
        case .empty:
            _ = encoder.container(keyedBy: Key.self)
        }
    }

    static func make(depth: Int, using generator: inout SeededGenerator) -> RandomTree {
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        func bits() -> UInt64 { generator.next() }
        func text() -> String {
            let scalars: [Unicode.Scalar] = [
                "a", "B", "/", "\"", "\\", "\n", "\u{0}", "é", "\u{301}", "😀", "\u{2028}", "ÿ",
            ]
            var text = String.UnicodeScalarView()
            for _ in 0..<number(0...4) { text.append(scalars[number(0...(scalars.count - 1))]) }
            return String(text)
        }
        func finite() -> Double {
            let double = Double(bitPattern: bits())
            return double.isFinite ? double : -0.0
        }
        func tree() -> RandomTree { make(depth: depth - 1, using: &generator) }
        func trees() -> [RandomTree] { (0..<number(0...3)).map { _ in tree() } }
        func table() -> [String: RandomTree] {
            Dictionary((0..<number(0...4)).map { _ in (text(), tree()) }) { $1 }
        }
        switch number(0...(depth > 0 ? 28 : 18)) {
        case 0: return .null
        case 1: return .bool(number(0...1) == 0)
        case 2: return .integer(Int(truncatingIfNeeded: bits()))
        case 3: return .small(Int8(truncatingIfNeeded: bits()))
        case 4: return .big(bits())
        case 5: return .huge(Int128(truncatingIfNeeded: bits()) << 60 | Int128(bits()))
        case 6: return .double(finite())
        case 7: return .float(Float(number(-9...9)) / 7)
        case 8: return .text(text())
        case 9: return .date(Date(timeIntervalSinceReferenceDate: finite()))
        case 10: return .data(Data((0..<number(0...5)).map { _ in UInt8(truncatingIfNeeded: bits()) }))
        case 11: return .id(UUID())
        case 12: return .url(URL(filePath: "/tmp/\(number(0...9))/é", directoryHint: .notDirectory))
        case 13: return .decimal(Decimal(number(-9999...9999)) / 8)
        case 14: return .texts((0..<number(0...3)).map { _ in text() })
        case 15: return .numbers((0..<number(0...3)).map { _ in number(-9...99) })
        case 16: return .empty
        case 17: return .vast(UInt128(bits()) << 64 | UInt128(bits()))
        case 18:
            return .widths(
                Widths(
                    b: Int8(truncatingIfNeeded: bits()), a: UInt16(truncatingIfNeeded: bits()),
                    d: number(0...1) == 0 ? nil : Int16(truncatingIfNeeded: bits()),
                    c: UInt32(truncatingIfNeeded: bits()), e: number(0...1) == 0 ? nil : bits(),
                    f: Double(number(-99_999...99_999)) / 100,
                    g: Float(number(-99_999...99_999)) / 1_000,
                    h: UInt8(truncatingIfNeeded: bits()), i: Int64(truncatingIfNeeded: bits()), j: UInt128(bits()),
                    k: number(0...1) == 0,
                    l: (0..<number(0...3)).map { _ in Double(sign: .plus, exponent: number(-60...70), significand: 1) },
                    m: (0..<number(0...3)).map { _ in UInt8(truncatingIfNeeded: bits()) }
                )
            )
        case 26: return .choice(number(0...2) == 0 ? .none : .one(tree()))
        case 27, 28: return .choice(.two(tree(), name: text()))
        case 19: return .array(trees())
        case 20: return .table(table())
        case 21: return .numbered(Dictionary((0..<number(0...4)).map { _ in (number(0...30), tree()) }) { $1 })
        case 22: return .optional(number(0...1) == 0 ? nil : tree())
        case 23: return .nested(tree(), trees())
        case 24: return .inherited(tree(), tree())
        case 25: return .unkeyed(tree(), tree())
        default: return .flattened(table(), tree())
        }
    }
}
