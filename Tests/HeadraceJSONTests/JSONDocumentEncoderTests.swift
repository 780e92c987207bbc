// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceJSON
import HeadraceTesting
import Testing

@Suite struct JSONDocumentEncoderTests {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ text: String) { stringValue = text }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    /// A value that encodes itself by a closure.
    private struct Custom: Encodable {
        let body: (any Encoder) throws -> Void

        init(_ body: @escaping (any Encoder) throws -> Void) { self.body = body }

        func encode(to encoder: any Encoder) throws { try body(encoder) }
    }

    private func json(_ value: some Encodable) throws -> String {
        String(decoding: try JSONDocumentEncoder.encode(value), as: UTF8.self)
    }

    private func foundation(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func error(of value: some Encodable) -> (context: EncodingError.Context?, path: String) {
        guard case .invalidValue(_, let context)? = #expect(throws: EncodingError.self, performing: { try json(value) })
        else {
            return (nil, "")
        }
        return (context, context.codingPath.map(\.stringValue).joined(separator: "."))
    }

    @Test func numbersAtTheBordersOfTheirTypesAreWrittenAsByFoundation() throws {
        let doubles = [
            0, -0.0, 1, -1, 0.1, 1e15, 1e16, 0x1p53, 0x1p53 - 1, 0x1p53 + 2, -0x1p53, 1e-4, 1e-5,
            .leastNonzeroMagnitude,
            .leastNormalMagnitude, .greatestFiniteMagnitude, .pi, 785_431_234.123_456_95, 1e300,
        ]
        #expect(try json(doubles) == foundation(doubles))
        let floats: [Float] = [0, -0.0, 0.1, 16_777_216, 123_456_792, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
        #expect(try json(floats) == foundation(floats))
        #expect(try json([Int.min, Int.max]) == foundation([Int.min, Int.max]))
        #expect(try json([UInt64.max]) == foundation([UInt64.max]))
        #expect(try json([Int128.min, .max]) == foundation([Int128.min, .max]))
        #expect(try json([UInt128.max]) == foundation([UInt128.max]))
        #expect(try json([Int8.min, .max]) == "[-128,127]")
    }

    @Test func membersAreSortedByTheUTF8OfTheirKeys() throws {
        let names = [
            "b", "a\"b", "a!b", "a#b", "", "a", "ab", "é", "z", "\u{1}", "😀", "\u{FFFD}", "abcdefgh", "abcdefghi",
            "abcdefgg",
        ]
        let object = Custom { encoder in
            var container = encoder.container(keyedBy: Key.self)
            for name in names { try container.encode(name, forKey: Key(name)) }
        }

        #expect(try json(object) == foundation(object))
        let table = Dictionary(uniqueKeysWithValues: (0..<100).map { ("key \($0)", $0) })
        #expect(try json(table) == foundation(table))
    }

    @Test func ofSeveralMembersWithOneKeyTheLastIsWritten() throws {
        let object = Custom { encoder in
            var container = encoder.container(keyedBy: Key.self)
            for (key, value) in [("b", 1), ("a", 2), ("b", 3), ("e\u{301}", 4), ("é", 5), ("a\n", 6), ("a\n", 7)] {
                try container.encode(value, forKey: Key(key))
            }
        }

        #expect(try json(object) == foundation(object))
    }

    @Test func nestedContainersCanBeWrittenInAnyOrder() throws {
        let object = Custom { encoder in
            var container = encoder.container(keyedBy: Key.self)
            var second = container.nestedContainer(keyedBy: Key.self, forKey: Key("second"))
            var first = container.nestedUnkeyedContainer(forKey: Key("first"))
            try second.encode(1, forKey: Key("b"))
            var inner = first.nestedContainer(keyedBy: Key.self)
            try first.encode("x")
            try second.encode(["y"], forKey: Key("a"))
            try container.encode(2, forKey: Key("between"))
            try inner.encode(3, forKey: Key("c"))
            // The same container again.
            var again = container.nestedContainer(keyedBy: Key.self, forKey: Key("second"))
            try again.encode(4, forKey: Key("0"))
            _ = container.superEncoder()
            try 5.encode(to: first.superEncoder())
        }

        #expect(try json(object) == foundation(object))
    }

    @Test func aContainerContinuesWhatWasEncodedAsAWhole() throws {
        let object = Custom { encoder in
            var single = encoder.singleValueContainer()
            try single.encode(["z": [1], "b": [], "\"": [2]])
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(9, forKey: Key("c"))
            try container.encode(["k": 1], forKey: Key("a"))
            var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key("a"))
            try nested.encode(2, forKey: Key("i"))
        }
        let array = Custom { encoder in
            var single = encoder.singleValueContainer()
            try single.encode([1, 2])
            var container = encoder.unkeyedContainer()
            #expect(container.count == 2)
            try container.encode(3)
        }

        #expect(try json(object) == foundation(object))
        #expect(try json(array) == "[1,2,3]")
    }

    @Test func nothingRemainsOfAValueThatFails() throws {
        let object = Custom { encoder in
            var container = encoder.container(keyedBy: Key.self)
            try? container.encode([1, .nan], forKey: Key("a"))
            try container.encode(1, forKey: Key("b"))
            try? container.encode(Double.infinity, forKey: Key("c"))
            var list = container.nestedUnkeyedContainer(forKey: Key("d"))
            try? list.encode(["x": Float.nan])
            try list.encode(true)
            try? list.encode(
                Custom { encoder in
                    var inner = encoder.unkeyedContainer()
                    _ = inner.nestedContainer(keyedBy: Key.self)
                    throw CancellationError()
                })
        }

        #expect(try json(object) == #"{"b":1,"d":[true]}"#)
    }

    @Test func anErrorNamesThePlace() throws {
        let nested = Custom { encoder in
            var container = encoder.container(keyedBy: Key.self)
            var list = container.nestedUnkeyedContainer(forKey: Key("list"))
            try list.encode(1)
            try list.encode(["x": [0.5, -.infinity]])
        }

        let twofold = Custom { encoder in
            var inner = encoder.unkeyedContainer()
            try inner.encode("x")
            var single = encoder.singleValueContainer()
            try single.encode("y")
        }

        #expect(error(of: nested).path == "list.Index 1.x.Index 1")
        #expect(error(of: ["a": [Decimal.nan]]).path == "a.Index 0")
        #expect(error(of: ["a": twofold]).path == "a")
        #expect(error(of: Custom { _ in }).context?.debugDescription == "Top-level Custom did not encode any values.")
    }

    @Test func anEncoderKnowsItsCodingPath() throws {
        let paths = Custom { encoder in
            var container = encoder.singleValueContainer()
            try container.encode(encoder.codingPath.map(\.stringValue))
        }
        let inner = Custom { encoder in
            var container = encoder.container(keyedBy: Key.self)
            var list = container.nestedUnkeyedContainer(forKey: Key("b"))
            try list.encode([paths])
            try container.encode(list.codingPath.map(\.stringValue), forKey: Key("c"))
            try paths.encode(to: container.superEncoder())
        }

        #expect(
            try json(["a": [inner]])
                == #"{"a":[{"b":[[["a","Index 0","b","Index 0","Index 0"]]],"c":["a","Index 0","b"],"super":["a","Index 0","super"]}]}"#
        )
    }

    @Test func anEncoderThatIsUsedAfterItsValueHasEndedIsAnError() throws {
        var kept: (any Encoder)?
        var container: KeyedEncodingContainer<Key>?
        _ = try json([
            Custom { encoder in
                kept = encoder
                container = encoder.container(keyedBy: Key.self)
            }
        ])

        #expect(throws: EncodingError.self) {
            var single = try #require(kept).singleValueContainer()
            try single.encode(1)
        }
        #expect(throws: EncodingError.self) { try container?.encode(1, forKey: Key("a")) }
        #expect(throws: EncodingError.self) {
            var nested = container?.nestedUnkeyedContainer(forKey: Key("a"))
            try nested?.encode(1)
        }
        #expect(try json([1]) == "[1]")
    }

    private struct Nested: Codable {
        var depth: Int

        init(depth: Int) { self.depth = depth }

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            depth = container.isAtEnd ? 1 : try container.decode(Nested.self).depth + 1
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            if depth > 1 { try container.encode(Nested(depth: depth - 1)) }
        }
    }

    @Test func theDepthIsLimitedAsByFoundation() throws {
        let containers = Custom { encoder in
            var containers = [encoder.unkeyedContainer()]
            for _ in 0..<511 { containers.append(containers[containers.count - 1].nestedUnkeyedContainer()) }
        }
        let deepest = try JSONDocumentEncoder.encode(Nested(depth: 511))
        let tooDeep = String(repeating: "[", count: 513) + String(repeating: "]", count: 513)
        let failure = #expect(throws: DecodingError.self) {
            try JSONDocumentDecoder.decode(Nested.self, from: Data(tooDeep.utf8))
        }

        #expect(try JSONDocumentDecoder.decode(Nested.self, from: deepest).depth == 511)
        #expect(
            try JSONDocumentDecoder.decode(Nested.self, from: Data(tooDeep.utf8.dropFirst().dropLast())).depth == 512)
        #expect(error(of: Nested(depth: 512)).context?.underlyingError is JSONSyntaxError)
        #expect(error(of: containers).context?.underlyingError is JSONSyntaxError)
        guard case .dataCorrupted(let context)? = failure else { return #expect(Bool(false)) }
        #expect((context.underlyingError as? JSONSyntaxError)?.reason == .tooDeep(limit: 512))
    }

    @Test func setsAndDictionariesAreWrittenInAnOrderOfTheirElements() throws {
        struct Place: Hashable, Codable { var row: Int, column: Int }
        enum Color: String, Hashable, Codable { case red, white }
        let places: Set = [Place(row: 2, column: 1), Place(row: 1, column: 10), Place(row: 1, column: 9)]
        let sorted = #"[{"column":1,"row":2},{"column":10,"row":1},{"column":9,"row":1}]"#

        #expect(try json(places) == sorted)
        #expect(try json([Optional(places)]) == "[\(sorted)]")
        #expect(try json(Set([10, 9, -1])) == "[-1,9,10]")
        #expect(try json(Set([10.5, 9])) == "[10.5,9]")
        #expect(try json(Set(["b", "a", "é", "/\""])) == #"["/\"","a","b","é"]"#)
        #expect(try json([Color.white: 1, .red: 2]) == #"["red",2,"white",1]"#)
        #expect(try json([Int8(3): ["b": Set([2, 1])], 2: [:]]) == #"[2,{},3,{"b":[1,2]}]"#)
        #expect(try json(Set([Set([2, 1]), []])) == "[[1,2],[]]")
        #expect(try json(Set<Color>()) == "[]")
    }

    @Test func textsThatNeedEscapeSequencesAreWrittenAsByFoundation() throws {
        let texts =
            (0..<0x100).compactMap(Unicode.Scalar.init).map { "1234567\(String($0))89" } + ["", "\u{2028}", "😀"]

        #expect(try json(texts) == foundation(texts))
    }
}
