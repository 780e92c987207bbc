//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceDomain
import HeadraceTesting

/// An entity with properties of all types that are written without `Codable`, and of others, as the macro expands it.
final class Parcel: StoredEntity {
    static let entityName = "parcel"

    /// A value with a property that only `Codable` writes.
    struct Item: DocumentCodable {
        var amounts: [String: Int]
        var name: String
        var price: Double?
        var parts: [Item]

        init(amounts: [String: Int], name: String, price: Double?, parts: [Item]) {
            self.amounts = amounts
            self.name = name
            self.price = price
            self.parts = parts
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
            parts = try decoder.decode([Item].self, forKey: "parts")
            price = try decoder.decode(Double?.self, forKey: "price")
            try decoder.endObject()
        }
    }

    enum Status: String, DocumentCodable {
        case sent, received

        func encode(to encoder: inout DocumentEncoder) throws { try rawValue.encode(to: &encoder) }
        init(from decoder: inout DocumentDecoder) throws { self = try decoder.decode(rawValueOf: Self.self) }
    }

    let id: UUID
    var count: Int
    var isFragile: Bool
    var items: [Item]
    var largest: Int64
    var marks: Set<Int>?
    var note: String?
    var small: Int32
    var status: Status?
    var taken: Date
    var texts: [String]
    var weight: Double
    var raisedEvents = RaisedEvents()

    init(using generator: inout SeededGenerator) {
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        func text() -> String {
            let characters: [Character] = ["a", "Z", "é", "\"", "\\", "\n", "\u{1}", "/", "👩‍🚀", " ", "0", "\u{7F}"]
            return String((0..<number(0...12)).map { _ in characters[number(0...11)] })
        }
        func double() -> Double {
            switch number(0...6) {
            case 0: Double(number(-1_000...1_000))
            case 1: Double(number(-100_000...100_000)) / 100
            case 2: Double.random(in: -1e-7...1e-7, using: &generator)
            case 3: Double.random(in: -1e300...1e300, using: &generator)
            case 4:
                [0, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1, 1e15, 1e16, 123_456_789_012_345.6][
                    number(0...7)]
            default: Double(number(-1_000_000_000...1_000_000_000)) / 1_000
            }
        }
        func item(_ depth: Int) -> Item {
            Item(
                amounts: number(0...1) == 0 ? [:] : ["a" + text(): 1, "b" + text(): -2],
                name: text(),
                price: number(0...1) == 0 ? nil : double(),
                parts: depth == 0 ? [] : (0..<number(0...2)).map { _ in item(depth - 1) }
            )
        }
        id = UUID(
            uuid: (
                UInt8(number(0...255)), 1, 0xAB, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, UInt8(number(0...255))
            )
        )
        count = number(0...3) == 0 ? Int(truncatingIfNeeded: generator.next()) : number(-20...20)
        isFragile = number(0...1) == 0
        items = (0..<number(0...2)).map { _ in item(2) }
        largest = number(0...1) == 0 ? .min : .max
        marks = number(0...1) == 0 ? nil : [1, 22, 3]
        note = number(0...1) == 0 ? nil : text()
        small = Int32(number(-5...5))
        status = [nil, .sent, .received][number(0...2)]
        taken = Date(timeIntervalSinceReferenceDate: double())
        texts = (0..<number(0...3)).map { _ in text() }
        weight = double()
    }

    func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(count, forKey: "count")
        try encoder.encode(id, forKey: "id")
        try encoder.encode(isFragile, forKey: "isFragile")
        try encoder.encode(items, forKey: "items")
        try encoder.encode(largest, forKey: "largest")
        try encoder.encode(marks, forKey: "marks")
        try encoder.encode(note, forKey: "note")
        try encoder.encode(small, forKey: "small")
        try encoder.encode(status, forKey: "status")
        try encoder.encode(taken, forKey: "taken")
        try encoder.encode(texts, forKey: "texts")
        try encoder.encode(weight, forKey: "weight")
        encoder.endObject()
    }

    init(from decoder: inout DocumentDecoder) throws {
        try decoder.beginObject()
        count = try decoder.decode(Int.self, forKey: "count")
        id = try decoder.decode(UUID.self, forKey: "id")
        isFragile = try decoder.decode(Bool.self, forKey: "isFragile")
        items = try decoder.decode([Item].self, forKey: "items")
        largest = try decoder.decode(Int64.self, forKey: "largest")
        marks = try decoder.decode(Set<Int>?.self, forKey: "marks")
        note = try decoder.decode(String?.self, forKey: "note")
        small = try decoder.decode(Int32.self, forKey: "small")
        status = try decoder.decode(Status?.self, forKey: "status")
        taken = try decoder.decode(Date.self, forKey: "taken")
        texts = try decoder.decode([String].self, forKey: "texts")
        weight = try decoder.decode(Double.self, forKey: "weight")
        try decoder.endObject()
    }
}
