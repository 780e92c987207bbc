// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage
import HeadraceTesting
import Testing

@testable import HeadraceDomain

@Suite(.timeLimit(.minutes(5))) struct DocumentCodableTests {
    @Test(arguments: [1, 18, 2_026])
    func randomEntitiesAreWrittenAndReadAsByCodable(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)

        for round in 0..<400 {
            let parcel = Parcel(using: &generator)
            let json = try DocumentCoding.encode(parcel)
            let expected = try codableJSON(of: parcel)
            #expect(json == expected, "round \(round)")
            #expect(try DocumentCoding.encode(parcel, unlessEqualTo: expected) == nil)

            let (copy, _): (Parcel, Bool) = try DocumentCoding.decodeCheckingForm(document(json))
            let codableCopy = try DocumentCoding.decode(Parcel.self, from: expected)
            #expect(try codableJSON(of: copy) == codableJSON(of: codableCopy), "round \(round)")
        }
    }

    /// A document with a few other bytes is refused by both coders with the same error, or read as the same entity.
    @Test(arguments: [2, 19])
    func damagedDocumentsAreReadAsByCodable(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var readCount = 0

        for round in 0..<1_000 {
            var json = try DocumentCoding.encode(Parcel(using: &generator))
            for _ in 0...generator.int(0...1) { json.damage(using: &generator) }
            if try compare(json, "round \(round)") { readCount += 1 }
        }

        #expect(readCount > 50)
    }

    /// The same for documents of an older or newer version of the type: without members, with `null`, with unknown members,
    /// with a member twice, with values of another type, in another order, and with white space.
    @Test(arguments: [5, 21])
    func documentsWithOtherMembersAreReadAsByCodable(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var readCount = 0

        for round in 0..<600 {
            let json = try DocumentCoding.encode(Parcel(using: &generator))
            let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
            var members = try object.sorted { $0.key < $1.key }.map { key, value in
                let text = try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])
                return (key: key, value: String(decoding: text, as: UTF8.self))
            }
            for _ in 0...generator.int(0...1) {
                let index = generator.int(0...members.count - 1)
                switch generator.int(0...7) {
                case 0: members.remove(at: index)
                case 1: members[index].value = "null"
                case 2: members.insert((key: generator.choose(["aa", "counter", "zz"]), value: "[{}]"), at: index)
                case 3: members.insert(members[index], at: index)
                case 4: members[index].value = generator.choose([#""x""#, "1.5", "[]", "{}", "true"])
                case 5: members.swapAt(index, 0)
                case 6: members[index].value += " "
                default: members.removeAll { ["choice", "marks", "note", "sent"].contains($0.key) }
                }
            }
            let text = members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
            if try compare(Data("{\(text)}".utf8), "round \(round)") { readCount += 1 }
        }

        #expect(readCount > 150)
    }

    /// Expects that both coders read the same entity, or throw the same error.
    ///
    /// - Returns: Whether they read an entity.
    private func compare(_ json: Data, _ comment: Comment) throws -> Bool {
        let expected = Result { try codableJSON(of: DocumentCoding.decode(Parcel.self, from: json)) }
        let actual = Result { try codableJSON(of: DocumentCoding.decode(document(json)) as Parcel) }
        switch (expected, actual) {
        case (.success(let expected), .success(let actual)):
            #expect(expected == actual, comment)
            return true
        case (.failure(let expected), .failure(let actual as StoreError)):
            let cause = try #require(actual.cause, comment)
            #expect("\(cause)" == "\(expected)", comment)
        default: Issue.record("\(comment): \(String(decoding: json, as: UTF8.self)) is read as \(actual)")
        }
        return false
    }

    @Test func errorsOfEncodingAreThoseOfCodable() throws {
        var generator = SeededGenerator(seed: 3)
        let changes: [(Parcel) -> Void] = [
            { $0.items = [ParcelItem(amounts: [:], name: "", price: .nan, parts: [])] },
            { $0.weight = .infinity },
            { $0.factor = -.infinity },
            { $0.sent = Date(timeIntervalSinceReferenceDate: .nan) },
            { $0.choice = .named("", at: .nan) },
        ]

        for change in changes {
            let parcel = Parcel(using: &generator)
            change(parcel)
            let expected = #expect(throws: EncodingError.self) { try codableJSON(of: parcel) }
            let actual = #expect(throws: EncodingError.self) { try DocumentCoding.encode(parcel) }
            guard case .invalidValue(_, let expected) = expected, case .invalidValue(_, let actual) = actual else {
                continue
            }
            #expect(!actual.codingPath.isEmpty)
            #expect(actual.codingPath.map(\.stringValue) == expected.codingPath.map(\.stringValue))
            #expect(actual.debugDescription == expected.debugDescription)
        }
    }

    @Test func errorsOfDecodingAreThoseOfCodable() throws {
        let id = "00000000-0000-0000-0000-0000000000AB"
        let documents = [
            "", "[]", "{", #"{"count":1,"id":"x","name":""}"#, #"{"count":1,"id":"\#(id)"}"#,
            #"{"count":1.5,"id":"\#(id)","name":""}"#, #"{"count":1,"id":"\#(id)","name":"","status":"lost"}"#,
            #"{"count":99999999999999999999,"id":"\#(id)","name":""}"#, #"{"count":1,"id":"\#(id)","name":"\uD800"}"#,
        ]
        for json in documents {
            let expected = #expect(throws: (any Error).self) {
                try DocumentCoding.decode(Tag.self, from: Data(json.utf8))
            }
            let actual = #expect(throws: StoreError.self) { try DocumentCoding.decode(document(json)) as Tag }
            let cause = try #require(actual?.cause)
            #expect("\(cause)" == expected.map { "\($0)" }, "\(json)")
        }
    }

    @Test func aValueThatIsNestedTooDeeplyIsAnError() throws {
        var item = ParcelItem(amounts: [:], name: "", price: nil, parts: [])
        for _ in 0..<300 { item = ParcelItem(amounts: [:], name: "", price: nil, parts: [item]) }
        var generator = SeededGenerator(seed: 4)
        let parcel = Parcel(using: &generator)
        parcel.items = [item]

        #expect(throws: EncodingError.self) { try DocumentCoding.encode(parcel) }
    }
}
