// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Testing

/// Compares tables of various sizes with a dictionary of the same rows.
@Suite struct TypeTableTests {
    @Test(arguments: [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 1_000, 4_096, 10_000])
    func agreesWithADictionaryAboutWhatItHasAndWhatItHasNot(count: Int) {
        let objects = Objects(count: count * 2)
        let rows = objects.identities.prefix(count).enumerated().map { ($1, Value($0)) }

        let table = TypeTable(rows)

        let dictionary = Dictionary(uniqueKeysWithValues: rows)
        #expect(table.count == count)
        #expect(objects.identities.allSatisfy { table[$0] === dictionary[$0] })
    }

    @Test(arguments: [1, 2, 3, 10, 100, 1_000])
    func findsEachOfManyTypesOfOneGenericShape(count: Int) {
        let types = Nesting.types(count: count)

        let table = TypeTable(types.enumerated().map { (ObjectIdentifier($1), Value($0)) })

        #expect(table.count == count)
        #expect(types.enumerated().allSatisfy { table[$1]?.number == $0 })
        #expect(table[Int.self] == nil)
    }

    @Test(arguments: [1, 2, 10, 1_000])
    func givesTheValueOfTheLastPairOfAType(count: Int) {
        let objects = Objects(count: count)
        let early = objects.identities.map { ($0, Value(1)) }
        let late = objects.identities.map { ($0, Value(2)) }

        let table = TypeTable(early + late)

        #expect(table.count == count)
        #expect(objects.identities.allSatisfy { table[$0]?.number == 2 })
    }

    @Test func typesWithTheSamePrintedNameAreDistinctKeys() {
        let table = TypeTable([
            (ObjectIdentifier(Kitchen.Sink.self), Value(1)),
            (ObjectIdentifier(Laundry.Sink.self), Value(2)),
        ])

        #expect(table[Kitchen.Sink.self]?.number == 1)
        #expect(table[Laundry.Sink.self]?.number == 2)
    }

    @Test func aTypeItsMetatypeItsOptionalAndItsExistentialAreDistinctKeys() {
        let types: [Any.Type] = [Int.self, Int?.self, Int.Type.self, (any Numeric).self, (any Numeric).Type.self]

        let table = TypeTable(types.enumerated().map { (ObjectIdentifier($1), Value($0)) })

        #expect(types.map { table[$0]?.number } == [0, 1, 2, 3, 4])
    }

    @Test func theTableRetainsItsObjectsUntilItIsDeallocated() {
        weak var kept: Value?
        do {
            let table = TypeTable([(ObjectIdentifier(Int.self), Value(1))])
            kept = table[Int.self]
            #expect(kept != nil)
        }

        #expect(kept == nil)
    }

    private final class Value: Sendable {
        let number: Int

        init(_ number: Int) {
            self.number = number
        }
    }

    private enum Kitchen { enum Sink {} }

    private enum Laundry { enum Sink {} }
}

/// Distinct identities, from objects with the same lifetime as this object.
private struct Objects {
    private final class Object {}

    private let objects: [Object]

    init(count: Int) {
        objects = (0..<count).map { _ in Object() }
    }

    var identities: [ObjectIdentifier] {
        objects.map { ObjectIdentifier($0) }
    }
}

/// Types that the runtime creates on demand, one for each depth.
private enum Nesting {
    private struct Inside<Content> {}

    static func types(count: Int) -> [Any.Type] {
        var types: [Any.Type] = []
        var outermost: Any.Type = Never.self
        for _ in 0..<count {
            outermost = wrapped(outermost)
            types.append(outermost)
        }
        return types
    }

    private static func wrapped<Content>(_ content: Content.Type) -> Any.Type {
        Inside<Content>.self
    }
}
