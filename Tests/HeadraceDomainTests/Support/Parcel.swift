// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceTesting

/// An entity with properties of all types that are written without `Codable`, and of others, as `@DomainEntity` expands it.
///
/// A test of the macro compares it with the expansion.
final class Parcel: StoredEntity {
    static let entityName = "parcel"

    var big: UInt64
    var choice: ParcelChoice?
    var count: Int
    var data: Data
    var depths: [Int: String]
    var factor: Float
    let id: UUID
    var isFragile: Bool
    var items: [ParcelItem]
    var kind: ParcelKind
    var label: ParcelLabel
    var largest: Int64
    var link: URL?
    var marks: Set<Int>?
    var n: Int??
    var note: String?
    var price: Decimal
    var sent: Date?
    var small: Int32
    var status: ParcelStatus?
    var taken: Date
    var texts: [String]
    var twin: UUID?
    var weight: Double

    init(using generator: inout SeededGenerator) {
        big = generator.next()
        choice = generator.choose([
            nil, .unknown, .numbered(generator.int(-3...3)), .named(generator.text(), at: generator.double()),
        ])
        count = generator.flip() ? generator.int(-20...20) : Int(truncatingIfNeeded: generator.next())
        data = Data(generator.text().utf8)
        depths = generator.flip() ? [:] : [generator.int(0...9): generator.text(), 11: "b", -1: "c"]
        factor = Float(generator.int(-1_000...1_000)) / 8
        id = generator.id()
        isFragile = generator.flip()
        items = (0..<generator.int(0...2)).map { _ in ParcelItem(depth: 2, using: &generator) }
        kind = generator.choose([.letter, .box])
        label = ParcelLabel(using: &generator)
        largest = generator.choose([.min, .max, 0, 999_999_999_999_999_999, -1_000_000_000_000_000_000])
        link = generator.choose([nil, URL(string: "https://example.com/a?b=\(generator.int(0...99))")])
        marks = generator.flip() ? nil : [1, 22, generator.int(3...9)]
        n = generator.choose([nil, .some(nil), .some(generator.int(0...9))])
        note = generator.flip() ? nil : generator.text()
        price = Decimal(generator.int(-1_000_000...1_000_000)) / 1_000
        sent = generator.flip() ? nil : Date(timeIntervalSinceReferenceDate: generator.double())
        small = Int32(truncatingIfNeeded: generator.next())
        status = generator.choose([nil, .sent, .received])
        taken = Date(timeIntervalSinceReferenceDate: generator.double())
        texts = (0..<generator.int(0...3)).map { _ in generator.text() }
        twin = generator.flip() ? nil : generator.id()
        weight = generator.double()
    }

    var raisedEvents = HeadraceDomain.RaisedEvents()

    func encode(to encoder: inout HeadraceDomain.DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(self.big, forKey: "big")
        try encoder.encode(self.choice, forKey: "choice")
        try encoder.encode(self.count, forKey: "count")
        try encoder.encode(self.data, forKey: "data")
        try encoder.encode(self.depths, forKey: "depths")
        try encoder.encode(self.factor, forKey: "factor")
        try encoder.encode(self.id, forKey: "id")
        try encoder.encode(self.isFragile, forKey: "isFragile")
        try encoder.encode(self.items, forKey: "items")
        try encoder.encode(self.kind, forKey: "kind")
        try encoder.encode(self.label, forKey: "label")
        try encoder.encode(self.largest, forKey: "largest")
        try encoder.encode(self.link, forKey: "link")
        try encoder.encode(self.marks, forKey: "marks")
        try encoder.encode(self.n, forKey: "n")
        try encoder.encode(self.note, forKey: "note")
        try encoder.encode(self.price, forKey: "price")
        try encoder.encode(self.sent, forKey: "sent")
        try encoder.encode(self.small, forKey: "small")
        try encoder.encode(self.status, forKey: "status")
        try encoder.encode(self.taken, forKey: "taken")
        try encoder.encode(self.texts, forKey: "texts")
        try encoder.encode(self.twin, forKey: "twin")
        try encoder.encode(self.weight, forKey: "weight")
        encoder.endObject()
    }

    init(from decoder: inout HeadraceDomain.DocumentDecoder) throws {
        try decoder.beginObject()
        self.big = try decoder.decode(UInt64.self, forKey: "big")
        self.choice = try decoder.decode(ParcelChoice?.self, forKey: "choice")
        self.count = try decoder.decode(Int.self, forKey: "count")
        self.data = try decoder.decode(Data.self, forKey: "data")
        self.depths = try decoder.decode([Int: String].self, forKey: "depths")
        self.factor = try decoder.decode(Float.self, forKey: "factor")
        self.id = try decoder.decode(UUID.self, forKey: "id")
        self.isFragile = try decoder.decode(Bool.self, forKey: "isFragile")
        self.items = try decoder.decode([ParcelItem].self, forKey: "items")
        self.kind = try decoder.decode(ParcelKind.self, forKey: "kind")
        self.label = try decoder.decode(ParcelLabel.self, forKey: "label")
        self.largest = try decoder.decode(Int64.self, forKey: "largest")
        self.link = try decoder.decode(URL?.self, forKey: "link")
        self.marks = try decoder.decode(Set<Int>?.self, forKey: "marks")
        self.n = try decoder.decode(Int??.self, forKey: "n")
        self.note = try decoder.decode(String?.self, forKey: "note")
        self.price = try decoder.decode(Decimal.self, forKey: "price")
        self.sent = try decoder.decode(Date?.self, forKey: "sent")
        self.small = try decoder.decode(Int32.self, forKey: "small")
        self.status = try decoder.decode(ParcelStatus?.self, forKey: "status")
        self.taken = try decoder.decode(Date.self, forKey: "taken")
        self.texts = try decoder.decode([String].self, forKey: "texts")
        self.twin = try decoder.decode(UUID?.self, forKey: "twin")
        self.weight = try decoder.decode(Double.self, forKey: "weight")
        try decoder.endObject()
    }
}
