// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage

extension StoreContract {
    static let conditionChecks: [Check] = [
        Check("a document is found by each of its values, and not by removed values") { fixture in
            let store = try await fixture.open()
            let old = Draft(key: "a", labels: ["x", "y", 1, 2])
            let new = Draft(key: "a", labels: ["y", 2, 3])
            try await store.commit(ChangeSet().inserting(old))

            try await store.commit(ChangeSet().updating(old, at: 1, to: new))

            for value: EntryValue in ["y", 2, 3] {
                try requireKeys(try await store.fetch(where: "label", .oneOf([value.indexValue])), ["a"], "\(value)")
            }
            for value: EntryValue in ["x", 1] {
                try requireKeys(try await store.fetch(where: "label", .oneOf([value.indexValue])), [], "\(value)")
            }
        },
        Check("a document with several matching values is returned once") { fixture in
            let store = try await fixture.open()
            try await store.commit(ChangeSet().inserting(Draft(key: "a", labels: ["x", "y", "z"])))

            let matches = try await store.fetch(where: "label", .oneOf([.text("x"), .text("y")]))
            let all = try await store.fetch(where: "label", .range(from: nil, below: nil))

            try requireKeys(matches, ["a"], "a set of two of its values")
            try requireKeys(all, ["a"], "the range of all values")
        },
        Check("a condition accepts 300,000 values, with each order, limit and start position") { fixture in
            let store = try await fixture.open()
            // The order of the keys differs from the order of the values.
            let drafts = edgeCaseValues.enumerated().map {
                Draft(key: "\(($0.offset * 37) % 1_000) \($0.offset)", rank: $0.element, labels: [$0.element, "all"])
            }
            try await store.commit(
                ChangeSet().inserting(drafts).inserting(Draft(key: "other", rank: "no value of these")))
            let wanted = drafts.indices.filter { $0 % 3 != 0 }.map { drafts[$0] }
            var values = Set((0..<300_000).map { IndexValue.integer(1_000_000_000 + Int64($0)) })
            for draft in wanted { values.formUnion([draft.rank, draft.labels.first].compactMap { $0?.indexValue }) }
            let conditions = ["rank", "label"].map { DocumentQuery.Condition(index: $0, test: .oneOf(values)) }
            func keys(
                orderedBy order: DocumentQuery.Order? = nil,
                after place: DocumentQuery.Place? = nil,
                limit: Int? = nil
            ) async throws -> [StoredDocument] {
                try await store.fetch(
                    DocumentQuery(
                        kind: ContractEntity.entityName,
                        conditions: conditions,
                        order: order,
                        after: place,
                        limit: limit
                    )
                )
            }
            let byKey = wanted.map(\.key).sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
            let byRank = DocumentQuery.Order(index: "rank", isDescending: false)
            let byLabel = DocumentQuery.Order(index: "label", isDescending: true)
            let middle = wanted[wanted.count / 2]

            try requireKeys(try await keys(), byKey, "a fetch by key")
            try requireKeys(try await keys(orderedBy: byRank), wanted.map(\.key), "a fetch by an index")
            try requireKeys(
                try await keys(
                    orderedBy: byRank,
                    after: DocumentQuery.Place(value: middle.rank?.indexValue, key: middle.key),
                    limit: 5
                ),
                wanted.dropFirst(wanted.count / 2 + 1).prefix(5).map(\.key),
                "the page after a position"
            )
            try require(
                try await keys(orderedBy: byLabel, limit: 7).count == 7,
                "a fetch by the first of several values returns as many documents as its limit"
            )
        },
        Check("find(all:) returns the existing documents in the requested order") { fixture in
            let store = try await fixture.open()
            let drafts = (0..<40).map { Draft(key: "key \($0)", text: "text \($0)") }
            try await store.commit(ChangeSet().inserting(drafts))
            let moment = try await store.snapshot()
            let some = [7, 50, 3, 39, 41, 0].map { EntityReference(kind: "contract-entity", key: "key \($0)") }
            let strange = EntityReference(kind: "nobody-declared-this", key: "key 1")

            for (reader, name) in [(store as any EntityReader, "the store"), (moment, "its snapshot")] {
                let found = try await reader.find(all: some + [strange])
                try requireKeys(found, ["key 7", "key 3", "key 39", "key 0"], "some keys of \(name)")
                for document in found {
                    try requireEqual(
                        try await reader.find(document.reference), document, "a single document of \(name)")
                }
                try requireKeys(try await reader.find(all: []), [], "no key of \(name)")
            }
        },
        Check("equality distinguishes all values") { fixture in
            let store = try await fixture.open()
            try await store.commit(ChangeSet().inserting(edgeCaseDrafts))

            for value in edgeCaseValues {
                try requireKeys(
                    try await store.fetch(where: "rank", .oneOf([value.indexValue])),
                    keys { $0.isSame(as: value) },
                    "equality with \(value.shortDescription)"
                )
            }
        },
        Check("a set matches exactly its members") { fixture in
            let store = try await fixture.open()
            try await store.commit(ChangeSet().inserting(edgeCaseDrafts))

            for stride in [2, 3, 7] {
                let members = edgeCaseValues.enumerated().filter { $0.offset % stride == 0 }.map(\.element)
                try requireKeys(
                    try await store.fetch(where: "rank", .oneOf(Set(members.map(\.indexValue)))),
                    keys { value in members.contains { $0.isSame(as: value) } },
                    "a set of \(members.count) values"
                )
            }
            try requireKeys(try await store.fetch(where: "rank", .oneOf([])), [], "the empty set")
        },
        Check("a range is ordered by number, then by bytes, and excludes its upper bound") { fixture in
            let store = try await fixture.open()
            try await store.commit(ChangeSet().inserting(edgeCaseDrafts))

            for (index, lower) in edgeCaseValues.enumerated() {
                try requireKeys(
                    try await store.fetch(where: "rank", .range(from: lower.indexValue, below: nil)),
                    keys { !$0.precedes(lower) },
                    "the range from \(lower.shortDescription)"
                )
                try requireKeys(
                    try await store.fetch(where: "rank", .range(from: nil, below: lower.indexValue)),
                    keys { $0.precedes(lower) },
                    "the range below \(lower.shortDescription)"
                )
                for upper in [edgeCaseValues[(index * 5 + 3) % edgeCaseValues.count], lower] {
                    try requireKeys(
                        try await store.fetch(
                            where: "rank",
                            .range(from: lower.indexValue, below: upper.indexValue)
                        ),
                        keys { !$0.precedes(lower) && $0.precedes(upper) },
                        "the range from \(lower.shortDescription) below \(upper.shortDescription)"
                    )
                }
            }
        },
        Check("all conditions must match, each with any value") { fixture in
            let store = try await fixture.open()
            try await store.commit(
                ChangeSet().inserting(
                    Draft(key: "a", rank: 1, labels: ["x", "y"]),
                    Draft(key: "b", rank: 2, labels: ["x"]),
                    Draft(key: "c", rank: 1, labels: ["y"]),
                    Draft(key: "d", labels: ["x", "y"])
                )
            )
            func fetch(_ conditions: (String, IndexPredicate)...) async throws -> [StoredDocument] {
                try await store.fetch(
                    DocumentQuery(
                        kind: ContractEntity.entityName,
                        conditions: conditions.map { DocumentQuery.Condition(index: $0.0, test: $0.1) }
                    )
                )
            }

            let both = try await fetch(("label", .oneOf([.text("x")])), ("label", .oneOf([.text("y")])))
            let mixed = try await fetch(
                ("label", .oneOf([.text("x")])), ("rank", .range(from: .integer(1), below: nil)))
            let none = try await fetch(("label", .oneOf([.text("x")])), ("rank", .oneOf([.integer(3)])))

            try requireKeys(both, ["a", "d"], "two conditions on one index")
            try requireKeys(mixed, ["a", "b"], "conditions on two indexes")
            try requireKeys(none, [], "conditions that no document meets")
        },
        Check("a condition or an order by an undeclared index is refused, and nothing is read") { fixture in
            let store = try await fixture.open()
            try await store.commit(ChangeSet().inserting(Draft(key: "a", rank: 1)))
            let condition = DocumentQuery.Condition(index: "undeclared", test: .range(from: nil, below: nil))
            let declared = DocumentQuery.Condition(index: "rank", test: .range(from: nil, below: nil))
            let order = DocumentQuery.Order(index: "undeclared", isDescending: false)
            let kind = ContractEntity.entityName
            let queries = [
                DocumentQuery(kind: kind, conditions: [condition]),
                DocumentQuery(kind: kind, conditions: [declared, condition]),
                DocumentQuery(kind: kind, conditions: [declared], order: order, limit: 0),
                DocumentQuery(kind: kind, order: order),
            ]

            for reader in [store as any EntityReader, try await store.snapshot()] {
                for (number, query) in queries.enumerated() {
                    var code: StoreError.Code?
                    do { _ = try await reader.fetch(query) } catch let error as StoreError { code = error.code }
                    try requireEqual(code, .unknownIndex, "the error of query \(number)")
                }
            }
        },
        Check("a set may have 2,000 values, and 40,000") { fixture in
            let store = try await fixture.open()
            try await store.commit(ChangeSet().inserting((0..<10).map { Draft(key: "\($0)", rank: .number($0 * 7)) }))

            for count in [2_000, 40_000] as [Int64] {
                let numbers = (0..<count).map { IndexValue.integer($0 * 14) }
                let texts = (0..<count).map { IndexValue.text("\($0)") }
                try requireKeys(
                    try await store.fetch(where: "rank", .oneOf(Set(numbers + texts))),
                    ["0", "2", "4", "6", "8"],
                    "a set of \(2 * count) values"
                )
            }
        },
    ]

    /// A draft for each edge case.
    ///
    /// Its key contains the position of the value.
    private static let edgeCaseDrafts: [Draft] = edgeCaseValues.enumerated().map { index, value in
        Draft(key: "\(1_000 + index)", rank: value)
    }

    /// Returns the keys of the edge cases that `accepts` accepts.
    private static func keys(where accepts: (EntryValue) -> Bool) -> [String] {
        edgeCaseDrafts.filter { $0.rank.map(accepts) ?? false }.map(\.key)
    }
}

extension EntryValue {
    /// The value, shortened if it is long.
    fileprivate var shortDescription: String {
        switch self {
        case .number(let number): "\(number)"
        case .text(let text): "\(text.prefix(20).debugDescription)"
        }
    }
}
