// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceJSON
import HeadraceTesting

/// Compares the coders with `JSONEncoder` and `JSONDecoder` on random values.
struct Comparison {
    private let encoder = JSONEncoder()
    private let otherEncoder = JSONEncoder()
    private let decoder = JSONDecoder()
    private var generator: SeededGenerator

    /// Number of documents that both decoders read.
    private(set) var readCount = 0

    /// Number of documents that both decoders refused.
    private(set) var refusedCount = 0

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        otherEncoder.outputFormatting = .prettyPrinted
    }

    /// Encodes and decodes one random value; returns a description of the first difference.
    mutating func next() throws -> String? {
        let tree = RandomTree.make(depth: 4, using: &generator)
        let json = try encoder.encode(tree)
        let own = try JSONDocumentEncoder.encode(tree)
        if own != json { return "encoded \(Self.text(own)), expected \(Self.text(json))" }
        if try JSONDocumentEncoder.bytes(of: tree) != Array(json) { return "other bytes" }
        if try JSONDocumentEncoder.encode(tree, unlessEqualTo: json) != nil { return "not equal" }

        let shape = Shape.make(for: tree, using: &generator)
        if let difference = compare(shape, on: json) { return difference }
        // A canonical document that is read as a value is encoded as the same document.
        if let difference = try compareForm(json) { return difference }
        let pretty = try otherEncoder.encode(tree)
        if let difference = compare(shape, on: pretty) { return difference }
        let damaged = damage(Int.random(in: 0...1, using: &generator) == 0 ? json : pretty)
        return try compareForm(damaged) ?? compare(shape, on: damaged) ?? compare(.first([]), on: damaged)
    }

    private func compare(_ shape: Shape, on json: Data) -> String? {
        // Foundation takes such a document for UTF-16 or UTF-32.
        if json.prefix(4).contains(0) { return nil }
        return ShapedValue.$shape.withValue(shape) {
            let expected = Swift.Result { try decoder.decode(ShapedValue.self, from: json).text }
            let actual = Swift.Result { try JSONDocumentDecoder.decode(ShapedValue.self, from: json).text }
            let isSame =
                switch (expected, actual) {
                case (.success(let expected), .success(let actual)): expected == actual
                case (.failure(let expected), .failure(let actual)):
                    // Foundation reads the members of a dictionary in the order of its hash table.
                    shape.isUnordered || Self.text(json).contains("0E")
                        || Self.kind(of: expected) == Self.kind(of: actual)
                        || Self.isMalformed(json, actual)
                case (.success, .failure(let actual)): Self.isMalformed(json, actual)
                // Foundation takes a zero with this exponent for a number that is too small.
                case (.failure, .success): Self.text(json).contains("0E")
                }
            // Foundation cuts off the fraction of a whole number that is too long for a Double, and refuses some others.
            if isSame || "\(shape)".contains("int") && Self.hasLongFraction(json) { return nil }
            return "read \(shape) from \(Self.text(json)) as \(actual), expected \(expected)"
        }
    }

    /// Whether `error` says that the document isn't JSON, and Foundation can't read all of it.
    private static func isMalformed(_ json: Data, _ error: any Error) -> Bool {
        guard case DecodingError.dataCorrupted(let context) = error, context.underlyingError is JSONSyntaxError else {
            return false
        }
        return (try? JSONDecoder().decode(WholeValue.self, from: json)) == nil
            || (try? JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed)) == nil
    }

    /// Whether `json` contains a number with a fraction or an exponent that may be too long for a Double.
    private static func hasLongFraction(_ json: Data) -> Bool {
        json.split { !"0123456789.eE+-".utf8.contains($0) }.contains { number in
            number.count > 16 && number.contains { ".eE".utf8.contains($0) }
        }
    }

    /// The kind of the error, with the coding path unless the document is at fault.
    private static func kind(of error: any Error) -> String {
        func text(_ path: [any CodingKey]) -> String { "\(path.map(\.stringValue))" }
        return switch error {
        case DecodingError.keyNotFound(let key, let context):
            "keyNotFound \(key.stringValue) \(text(context.codingPath))"
        case DecodingError.valueNotFound(_, let context): "valueNotFound \(text(context.codingPath))"
        // Foundation calls null a wrong type for a Boolean, and for nothing else.
        case DecodingError.typeMismatch(is Bool.Type, let context) where context.debugDescription.contains("null"):
            "valueNotFound \(text(context.codingPath))"
        case DecodingError.typeMismatch(_, let context): "typeMismatch \(text(context.codingPath))"
        case DecodingError.dataCorrupted: "dataCorrupted"
        default: "\(error)"
        }
    }

    private mutating func compareForm(_ json: Data) throws -> String? {
        guard let result = try? JSONDocumentDecoder.decodeCheckingForm(WholeValue.self, from: json) else { return nil }
        readCount += 1
        let again = try JSONDocumentEncoder.encode(result.value)
        if result.isCanonical == (again == json) { return nil }
        return "\(Self.text(json)) canonical: \(result.isCanonical), encoded as \(Self.text(again))"
    }

    /// Changes some bytes of `json`.
    private mutating func damage(_ json: Data) -> Data {
        let parts = [
            "0", "1", "-", ".", "e", "E5", "\"", "\\", "\\u", "\\ud83d", "\\ude00", "\\u00e9", "\\/", "\\u0061", "{",
            "}", "[",
            "]", ",", ":", " ", "\n", "\t", "null", "true", "1e400", "1e-400", "\u{FEFF}", "\"b\":1,", "é", "e\u{301}",
            "\u{0}",
            ".0", "0.10", "1.0", "9223372036854775808", "18446744073709551616",
            "170141183460469231731687303715884105728",
            "123456789012345678901234567890", "0.000001", "9007199254740993", "\u{7F}", "\r",
        ]
        var bytes = Array(json)
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let index = Int.random(in: 0...bytes.count, using: &generator)
            switch Int.random(in: 0...5, using: &generator) {
            case 0 where index < bytes.count: bytes.remove(at: index)
            case 1 where index < bytes.count: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 2: bytes.removeLast(min(bytes.count, Int.random(in: 0...3, using: &generator)))
            case 3 where index < bytes.count:
                let end = min(bytes.count, index + Int.random(in: 1...6, using: &generator))
                bytes.insert(contentsOf: bytes[index..<end], at: index)
            default:
                bytes.insert(contentsOf: parts[Int.random(in: 0..<parts.count, using: &generator)].utf8, at: index)
            }
        }
        return Data(bytes)
    }

    private static func text(_ json: Data) -> String { String(decoding: json, as: UTF8.self) }
}

/// Any value of JSON, read completely and encoded as it was read.
enum WholeValue: Codable {
    case null, bool(Bool), integer(Int), double(Double), text(String), array([WholeValue]), object([String: WholeValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let values = try? container.decode([WholeValue].self) {
            self = .array(values)
        } else {
            self = .object(try container.decode([String: WholeValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }
}
