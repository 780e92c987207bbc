// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceTesting

/// A value as `@DocumentCodable` expands it, with a property that only `Codable` writes.
struct ParcelItem: DocumentCodable {
    var amounts: [String: Int]
    var name: String
    var parts: [ParcelItem]
    var price: Double?

    init(amounts: [String: Int], name: String, price: Double?, parts: [ParcelItem]) {
        self.amounts = amounts
        self.name = name
        self.price = price
        self.parts = parts
    }

    init(depth: Int, using generator: inout SeededGenerator) {
        amounts = generator.flip() ? [:] : ["a" + generator.text(): 1, "b" + generator.text(): -2]
        name = generator.text()
        parts =
            depth == 0 ? [] : (0..<generator.int(0...2)).map { _ in ParcelItem(depth: depth - 1, using: &generator) }
        price = generator.flip() ? nil : generator.double()
    }

    func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(amounts, forKey: "amounts")
        try encoder.encode(name, forKey: "name")
        try encoder.encode(parts, forKey: "parts")
        try encoder.encode(price, forKey: "price")
        encoder.endObject()
    }

    init(from decoder: inout DocumentDecoder) throws {
        try decoder.beginObject()
        amounts = try decoder.decode([String: Int].self, forKey: "amounts")
        name = try decoder.decode(String.self, forKey: "name")
        parts = try decoder.decode([ParcelItem].self, forKey: "parts")
        price = try decoder.decode(Double?.self, forKey: "price")
        try decoder.endObject()
    }
}

/// An enumeration with texts, as `@DocumentCodable` expands it.
enum ParcelStatus: String, DocumentCodable {
    case sent, received

    func encode(to encoder: inout DocumentEncoder) throws { try self.rawValue.encode(to: &encoder) }
    init(from decoder: inout DocumentDecoder) throws { self = try decoder.decode(rawValueOf: Self.self) }
}

/// An enumeration with numbers, as `@DocumentCodable` expands it.
enum ParcelKind: Int, DocumentCodable {
    case letter = 1
    case box = -20

    func encode(to encoder: inout DocumentEncoder) throws { try self.rawValue.encode(to: &encoder) }
    init(from decoder: inout DocumentDecoder) throws { self = try decoder.decode(rawValueOf: Self.self) }
}

/// An enumeration with associated values, which only `Codable` writes.
enum ParcelChoice: Codable {
    case unknown
    case numbered(Int)
    case named(String, at: Double)
}

/// A value with keys and defaults of its own, which only `Codable` writes.
struct ParcelLabel: Codable {
    private enum CodingKeys: String, CodingKey { case text = "t", color = "c" }

    var text: String
    var color: String

    init(using generator: inout SeededGenerator) {
        text = generator.text()
        color = generator.choose(["red", "blue"])
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        text = try container.decode(String.self, forKey: .text)
        color = try container.decodeIfPresent(String.self, forKey: .color) ?? "none"
    }
}

extension SeededGenerator {
    mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    mutating func flip() -> Bool { next() & 1 == 0 }

    mutating func choose<Value>(_ values: [Value]) -> Value { values[int(0...values.count - 1)] }

    mutating func id() -> UUID {
        let (high, low) = (UInt8(truncatingIfNeeded: next()), UInt8(truncatingIfNeeded: next()))
        return UUID(uuid: (high, 1, 0xAB, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, low))
    }

    /// A text with characters that are written with and without escape sequences.
    mutating func text() -> String {
        let characters: [Character] = ["a", "Z", "é", "\"", "\\", "\n", "\u{1}", "/", "👩‍🚀", " ", "0", "\u{7F}"]
        return String((0..<int(0...12)).map { _ in choose(characters) })
    }

    /// A number with few or many digits, very small, or very large.
    mutating func double() -> Double {
        switch int(0...6) {
        case 0: Double(int(-1_000...1_000))
        case 1: Double(int(-100_000...100_000)) / 100
        case 2: Double.random(in: -1e-7...1e-7, using: &self)
        case 3: Double.random(in: -1e300...1e300, using: &self)
        case 4:
            choose([0, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1, 1e15, 1e16, 123_456_789_012_345.6])
        default: Double(int(-1_000_000_000...1_000_000_000)) / 1_000
        }
    }
}
