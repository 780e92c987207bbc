// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceTesting

/// The parts of a document that are read, and the methods that read them.
indirect enum Shape: Sendable {
    case null, bool, int, int8, int16, int32, int64, int128, uint, uint8, uint16, uint32, uint64, uint128
    case double, float, text, date, data, id, url, decimal, texts, numbers, doubles, bytes
    case optional(Shape)
    case array(Shape)
    case table(Shape)
    case numbered(Shape)
    /// The elements of an array, one after the other.
    case elements([Shape])
    /// The members of an object; `true` stands for a member that may be missing.
    case members([(key: String, shape: Shape, isOptional: Bool)])
    case nestedMember(String, Shape)
    case nestedElements(String, [Shape])
    /// A superclass under a key, or under the usual key.
    case inherited(String?, Shape)
    case allKeys
    case contains(String)
    /// The first shape that fits.
    case first([Shape])
    case codingPath

    static let leaves: [Shape] = [
        .null, .bool, .int, .int8, .int16, .int32, .int64, .int128, .uint, .uint8, .uint16, .uint32, .uint64, .uint128,
        .double, .float, .text, .date, .data, .id, .url, .decimal, .texts, .numbers, .doubles, .bytes, .allKeys,
        .codingPath,
    ]

    /// Whether several values are read in an order that Foundation chooses.
    var isUnordered: Bool { "\(self)".contains("numbered") }

    /// Returns a shape that mostly fits the JSON of `tree`.
    static func make(for tree: RandomTree, using generator: inout SeededGenerator) -> Shape {
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        func leaf() -> Shape { leaves[number(0...(leaves.count - 1))] }
        func shape(_ tree: RandomTree) -> Shape { make(for: tree, using: &generator) }
        func member(_ key: String, _ tree: RandomTree) -> (key: String, shape: Shape, isOptional: Bool) {
            (key, shape(tree), number(0...2) == 0)
        }
        func members(_ table: [String: RandomTree]) -> Shape {
            var all = table.sorted { $0.key < $1.key }.map { member($0.key, $0.value) }
            all.shuffle(using: &generator)
            if number(0...9) == 0 { all.append(("missing", leaf(), number(0...3) > 0)) }
            if number(0...9) == 0, !all.isEmpty { all.removeLast() }
            return .members(all)
        }
        let (one, other, third) = ("b", "a/\"é", "_")
        switch number(0...19) {
        case 0: return leaf()
        case 1: return .first([leaf(), leaf(), shape(tree)])
        case 2: return .optional(shape(tree))
        case 3: return .inherited(number(0...1) == 0 ? nil : "x", leaf())
        default: break
        }
        switch tree {
        case .null: return .null
        case .bool: return .bool
        case .integer: return number(0...1) == 0 ? .int : .int64
        case .small: return [.int8, .int16, .int32, .int, .double, .float, .decimal][number(0...6)]
        case .big: return [.uint64, .uint, .uint128, .int128, .double][number(0...4)]
        case .huge: return [.int128, .double, .decimal][number(0...2)]
        case .vast: return [.uint128, .double, .decimal][number(0...2)]
        case .double: return .double
        case .float: return number(0...1) == 0 ? .float : .double
        case .text: return .text
        case .date: return .date
        case .data: return .data
        case .id: return .id
        case .url: return .url
        case .decimal: return .decimal
        case .texts: return .texts
        case .numbers: return number(0...1) == 0 ? .numbers : .doubles
        case .array(let trees): return .elements(trees.map(shape))
        case .table(let table): return number(0...3) == 0 ? .allKeys : members(table)
        case .numbered(let table):
            guard let first = table.values.first else { return .numbered(.int) }
            return number(0...2) == 0
                ? .numbered(shape(first)) : members(Dictionary(uniqueKeysWithValues: table.map { ("\($0)", $1) }))
        case .optional(let tree): return .optional(tree.map(shape) ?? leaf())
        case .nested(let tree, let trees):
            return number(0...1) == 0
                ? .nestedMember(one, .members([(other, shape(tree), false), (third, .null, true)]))
                : .nestedElements(other, trees.map(shape))
        case .inherited(let tree, let superclass):
            return [.inherited(nil, shape(superclass)), .inherited(third, shape(tree)), .contains(one)][number(0...2)]
        case .unkeyed(let tree, let superclass):
            return .elements([
                shape(tree), .members([(one, shape(superclass), false)]), .array(shape(tree)), .optional(leaf()),
            ])
        case .flattened(let table, let tree):
            return members(table.merging([other: tree]) { $1 })
        case .choice(.none): return .members([("none", .members([]), false)])
        case .choice(.one(let tree)): return .nestedMember("one", .members([("_0", shape(tree), false)]))
        case .choice(.two(let tree, _)):
            return .members([("two", .members([("name", .text, false), ("_0", shape(tree), false)]), false)])
        case .widths:
            return .members([
                ("a", .uint16, false), ("b", .int8, false), ("c", .uint32, false), ("d", .int16, true),
                ("e", .uint64, true), ("f", .double, false), ("g", .float, false), ("h", .uint8, false),
                ("i", .int64, false), ("j", .uint128, false), ("k", .bool, false), ("l", .doubles, false),
                ("m", .bytes, false),
            ])
        case .empty: return .members([])
        }
    }
}

/// The text of everything that was read of a document.
struct ShapedValue: Decodable {
    @TaskLocal static var shape: Shape = .null

    let text: String

    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        text = try Self.read(Self.shape, from: decoder)
    }

    private static func read(_ shape: Shape, from decoder: any Decoder) throws -> String {
        func single<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try decoder.singleValueContainer().decode(type)
        }
        func path(_ path: [any CodingKey]) -> String { "\(path.map(\.stringValue))" }
        switch shape {
        case .null: return "\(try decoder.singleValueContainer().decodeNil())"
        case .bool: return "\(try single(Bool.self))"
        case .int: return "\(try single(Int.self))"
        case .int8: return "\(try single(Int8.self))"
        case .int16: return "\(try single(Int16.self))"
        case .int32: return "\(try single(Int32.self))"
        case .int64: return "\(try single(Int64.self))"
        case .int128: return "\(try single(Int128.self))"
        case .uint: return "\(try single(UInt.self))"
        case .uint8: return "\(try single(UInt8.self))"
        case .uint16: return "\(try single(UInt16.self))"
        case .uint32: return "\(try single(UInt32.self))"
        case .uint64: return "\(try single(UInt64.self))"
        case .uint128: return "\(try single(UInt128.self))"
        case .double: return "\(try single(Double.self))"
        case .float: return "\(try single(Float.self))"
        case .text: return "\(Array(try single(String.self).utf8))"
        case .date: return "\(try single(Date.self).timeIntervalSinceReferenceDate)"
        case .data: return "\(Array(try single(Data.self)))"
        case .id: return "\(try single(UUID.self))"
        case .url: return "\(try single(URL.self))"
        case .decimal: return "\(try single(Decimal.self))"
        case .texts: return "\(try single([String].self))"
        case .numbers: return "\(try single([Int].self))"
        case .doubles: return "\(try single([Double].self))"
        case .bytes: return "\(try single([UInt8].self))"
        case .optional(let shape):
            return try $shape.withValue(shape) { try single(ShapedValue?.self)?.text ?? "nil" }
        case .array(let shape):
            return try $shape.withValue(shape) { "\(try single([ShapedValue].self).map(\.text))" }
        case .table(let shape):
            return try $shape.withValue(shape) {
                let table = try single([String: ShapedValue].self)
                return "\(table.mapValues(\.text).sorted { $0.key < $1.key })"
            }
        case .numbered(let shape):
            return try $shape.withValue(shape) {
                let table = try single([Int: ShapedValue].self)
                return "\(table.mapValues(\.text).sorted { $0.key < $1.key })"
            }
        case .elements(let shapes):
            return try read(shapes, from: decoder.unkeyedContainer())
        case .members(let members):
            return try read(members, from: decoder.container(keyedBy: Key.self))
        case .nestedMember(let key, .members(let members)):
            let container = try decoder.container(keyedBy: Key.self)
            return try read(members, from: container.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: key)))
        case .nestedMember(let key, let shape):
            return try read(.members([(key, shape, false)]), from: decoder)
        case .nestedElements(let key, let shapes):
            let container = try decoder.container(keyedBy: Key.self)
            return try read(shapes, from: container.nestedUnkeyedContainer(forKey: Key(stringValue: key)))
        case .inherited(let key, let shape):
            let container = try decoder.container(keyedBy: Key.self)
            let superclass = try key.map { try container.superDecoder(forKey: Key(stringValue: $0)) }
            let inner = try superclass ?? container.superDecoder()
            return path(inner.codingPath) + (try read(shape, from: inner))
        case .allKeys:
            return "\(try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue).sorted())"
        case .contains(let key):
            return "\(try decoder.container(keyedBy: Key.self).contains(Key(stringValue: key)))"
        case .first(let shapes):
            for shape in shapes {
                if let text = try? read(shape, from: decoder) { return text }
            }
            return "none"
        case .codingPath: return path(decoder.codingPath)
        }
    }

    private static func read(_ shapes: [Shape], from container: any UnkeyedDecodingContainer) throws -> String {
        var container = container
        var text = "\(container.count ?? -1):"
        for shape in shapes {
            if container.isAtEnd { break }
            switch shape {
            case .null: text += "\(try container.decodeNil())"
            case .int: text += "\(try container.decode(Int.self))"
            case .double: text += "\(try container.decode(Double.self))"
            case .text: text += try container.decode(String.self)
            case .bool: text += "\(try container.decode(Bool.self))"
            case .int128: text += "\(try container.decodeIfPresent(Int128.self) ?? 0)"
            case .codingPath: text += try read(shape, from: container.superDecoder())
            case .elements(let shapes): text += try read(shapes, from: container.nestedUnkeyedContainer())
            case .members(let members):
                text += try read(members, from: container.nestedContainer(keyedBy: Key.self))
            default: text += try $shape.withValue(shape) { try container.decode(ShapedValue.self).text }
            }
            text += ",\(container.currentIndex)"
        }
        // Beyond the end there is an error.
        if shapes.count > 2 { text += "\(try container.decode(Int.self))" }
        return text
    }

    private static func read(
        _ members: [(key: String, shape: Shape, isOptional: Bool)],
        from container: KeyedDecodingContainer<Key>
    ) throws -> String {
        var text = ""
        for (name, shape, isOptional) in members {
            let key = Key(stringValue: name)
            switch (shape, isOptional) {
            case (.null, false): text += "\(try container.decodeNil(forKey: key))"
            case (.int, true): text += "\(try container.decodeIfPresent(Int.self, forKey: key) ?? -1)"
            case (.int, false): text += "\(try container.decode(Int.self, forKey: key))"
            case (.double, true): text += "\(try container.decodeIfPresent(Double.self, forKey: key) ?? -1)"
            case (.double, false): text += "\(try container.decode(Double.self, forKey: key))"
            case (.float, true): text += "\(try container.decodeIfPresent(Float.self, forKey: key) ?? -1)"
            case (.text, true): text += try container.decodeIfPresent(String.self, forKey: key) ?? "nil"
            case (.text, false): text += try container.decode(String.self, forKey: key)
            case (.uint8, false): text += "\(try container.decode(UInt8.self, forKey: key))"
            case (.uint64, true): text += "\(try container.decodeIfPresent(UInt64.self, forKey: key) ?? 1)"
            case (.uint128, false): text += "\(try container.decode(UInt128.self, forKey: key))"
            case (.date, true): text += "\(try container.decodeIfPresent(Date.self, forKey: key) ?? .distantPast)"
            case (.id, false): text += "\(try container.decode(UUID.self, forKey: key))"
            case (_, true):
                text += try $shape.withValue(shape) {
                    try container.decodeIfPresent(ShapedValue.self, forKey: key)?.text ?? "nil"
                }
            case (_, false):
                text += try $shape.withValue(shape) { try container.decode(ShapedValue.self, forKey: key).text }
            }
            text += ";"
        }
        return text
    }
}
