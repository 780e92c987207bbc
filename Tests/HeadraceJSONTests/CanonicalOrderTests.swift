// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceJSON
import HeadraceTesting
import Testing

@Suite struct CanonicalOrderTests {
    private enum Color: String, Hashable, Codable { case red, green, blue, white }

    private struct Place: Hashable, Codable {
        var row: Int
        var column: Int
    }

    private struct Chart: Hashable, Codable {
        enum Mark: Hashable, Codable {
            case colors(Set<Color>)
            case places([Place: Set<Int>], isClosed: Bool)
            case none
        }

        var names: Set<String>
        var nested: Set<Set<Place>>
        var byColor: [Color: String]
        var byPlace: [Place: [Color: Set<Double>]]
        var marks: [Mark]
        var optional: Set<Date>?
        var missing: Set<Int>?
        var byText: [String: Set<Place>]
        var byNumber: [Int: Set<Color>]
    }

    /// A chart that equals all charts of the same size, but has hash tables with another history.
    private func chart(size: Int, using generator: inout SeededGenerator) -> Chart {
        let numbers = (0..<size).shuffled(using: &generator)
        func some<Element: Hashable>(_ element: (Int) -> Element) -> Set<Element> {
            var set = Set<Element>(minimumCapacity: Int.random(in: 0...(8 * size), using: &generator))
            for number in numbers { set.insert(element(number)) }
            return set
        }
        func table<Key: Hashable, Value>(_ pairs: [(Key, Value)]) -> [Key: Value] {
            var table = [Key: Value](minimumCapacity: Int.random(in: 0...(8 * size), using: &generator))
            for (key, value) in pairs { table[key] = value }
            return table
        }
        let colors: [Color] = [.red, .green, .blue, .white]
        return Chart(
            names: some { "name \($0)" },
            nested: some { number in some { Place(row: $0, column: number) } },
            byColor: table(colors.shuffled(using: &generator).map { ($0, $0.rawValue) }),
            byPlace: table(
                numbers.map { number in
                    (Place(row: number, column: 1), table(colors.map { ($0, some { Double($0) / 4 }) }))
                }
            ),
            marks: [
                .colors(some { colors[$0 % 4] }),
                .places(table(numbers.map { number in (Place(row: 0, column: number), some(\.self)) }), isClosed: true),
                .none,
            ],
            optional: some { Date(timeIntervalSinceReferenceDate: Double($0)) },
            missing: nil,
            byText: table(numbers.map { number in ("\(number)", some { Place(row: $0, column: 0) }) }),
            byNumber: table(numbers.map { number in (number, some { colors[$0 % 4] }) })
        )
    }

    @Test(arguments: [0, 1, 2, 9])
    func equalValuesAreEqualBytesWhateverTheOrderOfTheirHashTables(size: Int) throws {
        var generator = SeededGenerator(seed: 7)
        let first = chart(size: size, using: &generator)
        let json = try JSONDocumentEncoder.encode(first)

        for _ in 0..<20 {
            let other = chart(size: size, using: &generator)
            #expect(other == first)
            #expect(try JSONDocumentEncoder.encode(other) == json)
        }
        #expect(try JSONDecoder().decode(Chart.self, from: json) == first)
    }

    @Test func elementsAreSortedAtEveryLevel() throws {
        struct Box: Codable { var values: Set<Place> }
        let places: Set = [Place(row: 2, column: 1), Place(row: 1, column: 10), Place(row: 1, column: 9)]
        func text(_ value: some Encodable) throws -> String {
            String(decoding: try JSONDocumentEncoder.encode(value), as: UTF8.self)
        }
        let sorted = #"[{"column":1,"row":2},{"column":10,"row":1},{"column":9,"row":1}]"#

        #expect(try text(places) == sorted)
        #expect(try text([Box(values: places)]) == #"[{"values":\#(sorted)}]"#)
        #expect(try text(Optional(places)) == sorted)
        #expect(try text(Set([10, 9, -1])) == "[-1,9,10]")
        #expect(try text(Set(["b", "a", "é", "/\""])) == #"["/\"","a","b","é"]"#)
        #expect(try text([Color.white: 1, .red: 2]) == #"["red",2,"white",1]"#)
        #expect(try text([Int8(3): ["b": Set([2, 1])], 2: [:]]) == #"[2,{},3,{"b":[1,2]}]"#)
        #expect(try text(Set<Color>()) == "[]")
    }

    /// `JSONEncoder` reports the same.
    @Test func anErrorInASetContainsThePathAndAValueWithoutContentNamesItsType() throws {
        struct Box: Encodable { var values: Set<[Double]> }
        struct Silent: Encodable { func encode(to encoder: any Encoder) {} }

        let nan = #expect(throws: EncodingError.self) { try JSONDocumentEncoder.encode(Box(values: [[.nan]])) }
        let silent = #expect(throws: EncodingError.self) { try JSONDocumentEncoder.encode(Silent()) }

        guard case .invalidValue(_, let context)? = nan else { return #expect(Bool(false)) }
        #expect(context.codingPath.first?.stringValue == "values")
        guard case .invalidValue(is Silent, let context)? = silent else { return #expect(Bool(false)) }
        #expect(context.debugDescription == "Top-level Silent did not encode any values.")
    }

    /// If each level were encoded twice, 2^40 encodings would never end.
    @Test func nestedSetsAreEncodedOnceAtAnyDepth() throws {
        struct Node: Hashable, Codable { var children: Set<Node> }
        var node = Node(children: [])
        for _ in 0..<40 { node = Node(children: [node]) }

        #expect(try JSONDecoder().decode(Node.self, from: JSONDocumentEncoder.encode(node)) == node)
    }

    /// Older versions have stored these bytes, and fingerprints of commands must stay equal.
    @Test(.timeLimit(.minutes(1)))
    func withoutUnorderedCollectionsTheBytesAreThoseOfJSONEncoder() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let rounds = ProcessInfo.processInfo.environment["HEADRACE_CODING_ROUNDS"].flatMap(Int.init) ?? 1_000
        var generator = SeededGenerator(seed: 22)

        for round in 0..<rounds {
            let tree = RandomTree.make(depth: 4, using: &generator)
            #expect(try JSONDocumentEncoder.encode(tree) == encoder.encode(tree), "round \(round)")
        }
    }

    @Test func typesThatJSONEncoderRecognizesKeepTheirEncoding() throws {
        struct All: Encodable {
            var date: Date? = Date(timeIntervalSinceReferenceDate: 1.5)
            var data: Data? = Data([0, 1, 255])
            var url = URL(string: "https://example.org/a?b=c")
            var decimal: Decimal? = Decimal(string: "0.1000000000000000000000000000001")
            var dates = [Date(timeIntervalSinceReferenceDate: 0.1)]
            var table = ["a": Data([1]), "b": Data()]
            var keyed = [1: URL(string: "file:///"), 20: nil, 3: nil]
            var nothing = RawRepresentableText(rawValue: "x")
            var big = Int128.max
            var float: Float = 0.1
            var zero = -0.0
        }
        struct RawRepresentableText: RawRepresentable, Encodable { var rawValue: String }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let values: [any Encodable] = [
            All(), [All()], Date(timeIntervalSinceReferenceDate: -0.25), Data([9]), Decimal(7), URL(filePath: "/a"),
            UUID(), "text", 1, 1.5, true, [Data([1])], [Decimal(1)], Optional<Int>.none, ["a": ["b": Date()]],
        ]

        for value in values {
            #expect(try JSONDocumentEncoder.encode(value) == encoder.encode(value), "\(value)")
        }
    }
}
