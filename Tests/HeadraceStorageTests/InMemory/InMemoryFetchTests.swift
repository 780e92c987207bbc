// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceTesting
import Testing

@testable import HeadraceStorage

@Suite struct InMemoryFetchTests {
    private static let kind = "order"

    private static func document(_ key: String, version: Int = 1) -> StoredDocument {
        StoredDocument(
            reference: EntityReference(kind: kind, key: key),
            version: version,
            schemaVersion: 1,
            json: Data()
        )
    }

    private static func state(of entities: [(key: String, entries: Set<ChangeSet.IndexEntry>)]) -> InMemoryState {
        var state = InMemoryState()
        state.apply(
            ChangeSet(writes: entities.map { .init(document: document($0.key), addedEntries: $0.entries) })
        )
        return state
    }

    // MARK: Equal to a model

    /// The documents of a query, by its definition: all entities are compared, without an index.
    private static func expected(
        _ query: DocumentQuery,
        of entities: [String: Set<ChangeSet.IndexEntry>]
    ) -> [String] {
        let isDescending = query.order?.isDescending ?? false
        let places = entities.compactMap { key, entries -> DocumentQuery.Place? in
            let isMatch = query.conditions.allSatisfy { condition in
                entries.contains { $0.index == condition.index && condition.test.accepts($0.value) }
            }
            guard isMatch else { return nil }
            guard let order = query.order else { return DocumentQuery.Place(value: nil, key: key) }
            let values = entries.filter { $0.index == order.index }.map(\.value)
            return (isDescending ? values.max() : values.min()).map { DocumentQuery.Place(value: $0, key: key) }
        }
        .filter { place in query.after.map { isDescending ? place < $0 : place > $0 } ?? true }
        .sorted()
        let ordered = isDescending ? places.reversed() : places
        return ordered.prefix(query.limit.map { max(0, $0) } ?? ordered.count).map(\.key)
    }

    private static func randomEntries(_ generator: inout SeededGenerator) -> Set<ChangeSet.IndexEntry> {
        var entries: Set<ChangeSet.IndexEntry> = []
        if Int.random(in: 0..<10, using: &generator) > 0 {
            entries.insert(.init(index: "at", value: .integer(.random(in: 0..<40, using: &generator))))
        }
        let state = ["open", "paid", "é", "e\u{301}"].randomElement(using: &generator) ?? ""
        entries.insert(.init(index: "state", value: .text(state)))
        for _ in 0..<Int.random(in: 0..<4, using: &generator) {
            let number = Int64.random(in: 0..<6, using: &generator)
            let value: IndexValue = Bool.random(using: &generator) ? .integer(number) : .text("\(number)")
            entries.insert(.init(index: "tag", value: value))
        }
        return entries
    }

    private static func randomValue(_ generator: inout SeededGenerator) -> IndexValue {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: .integer(.random(in: -1..<42, using: &generator))
        case 1: .text(["open", "paid", "é", "e\u{301}", ""].randomElement(using: &generator) ?? "")
        default: .text("\(Int.random(in: 0..<6, using: &generator))")
        }
    }

    private static func randomQuery(_ generator: inout SeededGenerator) -> DocumentQuery {
        let names = ["at", "state", "tag", "none"]
        let conditions = (0..<Int.random(in: 0..<3, using: &generator)).map { _ in
            let values = (0..<4).map { _ in randomValue(&generator) }
            let test: IndexPredicate =
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: .range(from: values[0], below: values[1])
                case 1: .range(from: nil, below: values[0])
                case 2: .range(from: values[0], below: nil)
                default: .oneOf(Set(values))
                }
            return DocumentQuery.Condition(index: names.randomElement(using: &generator) ?? "", test: test)
        }
        let order: DocumentQuery.Order? =
            Int.random(in: 0..<4, using: &generator) == 0
            ? nil
            : .init(index: names.randomElement(using: &generator) ?? "", isDescending: .random(using: &generator))
        let after: DocumentQuery.Place? =
            Bool.random(using: &generator)
            ? nil
            : .init(
                value: Int.random(in: 0..<5, using: &generator) == 0 ? nil : randomValue(&generator),
                key: "k\(Int.random(in: 0..<90, using: &generator))"
            )
        let limit = [nil, -1, 0, 1, 3, 20, 1_000].randomElement(using: &generator) ?? nil
        return DocumentQuery(kind: kind, conditions: conditions, order: order, after: after, limit: limit)
    }

    @Test(arguments: [UInt64](0..<30)) func randomQueriesFindTheDocumentsThatTheyDescribe(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var state = InMemoryState()
        var entities: [String: Set<ChangeSet.IndexEntry>] = [:]
        for _ in 0..<300 {
            let key = "k\(Int.random(in: 0..<90, using: &generator))"
            let old = entities[key] ?? []
            var changes = ChangeSet()
            if entities[key] != nil, Int.random(in: 0..<3, using: &generator) == 0 {
                entities[key] = nil
                changes.deletions = [
                    .init(
                        reference: EntityReference(kind: Self.kind, key: key), expectedVersion: 1, removedEntries: old)
                ]
            } else {
                let new = Self.randomEntries(&generator)
                entities[key] = new
                changes.writes = [
                    .init(
                        document: Self.document(key),
                        removedEntries: old.subtracting(new),
                        addedEntries: new.subtracting(old)
                    )
                ]
            }
            state.apply(changes)
            // Later changes meet indexes that are sorted already.
            let query = Self.randomQuery(&generator)
            #expect(state.fetch(query).map(\.reference.key) == Self.expected(query, of: entities), "\(query)")
        }
        for _ in 0..<200 {
            let query = Self.randomQuery(&generator)
            #expect(state.fetch(query).map(\.reference.key) == Self.expected(query, of: entities), "\(query)")
        }
    }

    @Test func aSnapshotKeepsItsOrder() {
        var state = Self.state(of: (0..<1_000).map { ("k\($0)", [.init(index: "at", value: .integer(Int64($0)))]) })
        let query = DocumentQuery(kind: Self.kind, order: .init(index: "at", isDescending: false), limit: 2)
        #expect(state.fetch(query).count == 2)
        var snapshot = state
        state.apply(
            ChangeSet(
                deletions: [
                    .init(
                        reference: EntityReference(kind: Self.kind, key: "k0"),
                        expectedVersion: 1,
                        removedEntries: [.init(index: "at", value: .integer(0))]
                    )
                ]
            )
        )

        #expect(state.fetch(query).map(\.reference.key) == ["k1", "k2"])
        #expect(snapshot.fetch(query).map(\.reference.key) == ["k0", "k1"])
    }

    // MARK: The number of entries read

    /// Every second entity is open, and one of a thousand is lost.
    private static let many = state(
        of: (0..<10_000).map { (number: Int) -> (key: String, entries: Set<ChangeSet.IndexEntry>) in
            let at = IndexValue.integer(Int64(number * 7_919 % 10_000))
            let status = IndexValue.text(number % 1_000 == 0 ? "lost" : number % 2 == 0 ? "open" : "paid")
            return ("k\(number)", [.init(index: "at", value: at), .init(index: "state", value: status)])
        }
    )

    private static func readCount(_ query: DocumentQuery, finding count: Int) -> Int {
        var state = many
        var fetch = state.makeFetch(query)
        #expect(fetch.run().count == count)
        return fetch.readCount
    }

    @Test(arguments: [false, true]) func aPageInOrderReadsItsEntriesOnly(isDescending: Bool) {
        let order = DocumentQuery.Order(index: "at", isDescending: isDescending)
        let first = DocumentQuery(kind: Self.kind, order: order, limit: 20)
        let later = DocumentQuery(
            kind: Self.kind, order: order, after: .init(value: .integer(5_000), key: "k"), limit: 20)

        #expect(Self.readCount(first, finding: 20) == 20)
        #expect(Self.readCount(later, finding: 20) == 20)
    }

    @Test func aPageInTheOrderOfTheKeysReadsItsKeysOnly() {
        let query = DocumentQuery(kind: Self.kind, after: .init(value: nil, key: "k5"), limit: 20)

        #expect(Self.readCount(query, finding: 20) == 20)
    }

    @Test func manyChangesAfterAReadInOrderAreFoundInOrder() {
        var state = Self.many
        let query = DocumentQuery(kind: Self.kind, order: .init(index: "at", isDescending: true), limit: 1)
        #expect(state.fetch(query).count == 1)

        // More than the changes that are noted.
        for round in 0..<60_000 {
            let entry = ChangeSet.IndexEntry(index: "at", value: .integer(Int64(20_000 + round)))
            state.apply(
                ChangeSet(
                    writes: [
                        .init(document: Self.document("k0"), removedEntries: [], addedEntries: [entry]),
                        .init(
                            document: Self.document("k0"),
                            removedEntries: round == 59_999 ? [] : [entry],
                            addedEntries: []
                        ),
                    ]
                )
            )
        }

        #expect(state.fetch(query).map(\.reference.key) == ["k0"])
    }

    @Test(arguments: [("open", 200), ("lost", 10)]) func aConditionReadsTheOrderOrItsMatches(state: String, atMost: Int)
    {
        let query = DocumentQuery(
            kind: Self.kind,
            conditions: [.init(index: "state", test: .oneOf([.text(state)]))],
            order: .init(index: "at", isDescending: false),
            limit: 20
        )

        #expect(Self.readCount(query, finding: min(20, atMost)) <= atMost)
    }
}
