// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage

extension StoreContract {
    static let orderChecks: [Check] = [
        Check("without an order documents are sorted by the bytes of their keys") { fixture in
            let store = try await fixture.open()
            try await store.commit(ChangeSet().inserting(["b", "a", "10", "9", "Z", ""].map { Draft(key: $0) }))

            let documents = try await store.fetch(DocumentQuery(kind: ContractEntity.entityName))

            try requireKeys(documents, ["", "10", "9", "Z", "a", "b"], "a fetch")
        },
        Check("an order is by number, then by bytes, in both directions") { fixture in
            let store = try await fixture.open()
            let drafts = edgeCaseValues.enumerated().map { Draft(key: "\($0.offset)", rank: $0.element) }
            try await store.commit(ChangeSet().inserting(drafts.reversed()))

            let ascending = try await store.fetch(orderedBy: "rank")
            let descending = try await store.fetch(orderedBy: "rank", descending: true)

            try requireKeys(ascending, drafts.map(\.key), "the ascending order")
            try requireKeys(descending, drafts.map(\.key).reversed(), "the descending order")
        },
        Check("documents with equal values are ordered by key, in the direction of the order") { fixture in
            let store = try await fixture.open()
            try await store.commit(
                ChangeSet().inserting(
                    Draft(key: "c", rank: 1),
                    Draft(key: "a", rank: 1),
                    Draft(key: "z", rank: 0),
                    Draft(key: "b", rank: 1),
                    Draft(key: "A", rank: 2)
                )
            )

            let ascending = try await store.fetch(orderedBy: "rank")
            let descending = try await store.fetch(orderedBy: "rank", descending: true)

            try requireKeys(ascending, ["z", "a", "b", "c", "A"], "the ascending order")
            try requireKeys(descending, ["A", "c", "b", "a", "z"], "the descending order")
        },
        Check("a document without a value in the index of the order is left out") { fixture in
            let store = try await fixture.open()
            try await store.commit(ChangeSet().inserting(Draft(key: "a"), Draft(key: "b", rank: 1), Draft(key: "c")))

            try requireKeys(try await store.fetch(orderedBy: "rank"), ["b"], "the ascending order")
            try requireKeys(try await store.fetch(orderedBy: "rank", descending: true), ["b"], "the descending order")
        },
        Check("a document with several values is returned once, ordered by its first value") { fixture in
            let store = try await fixture.open()
            try await store.commit(
                ChangeSet().inserting(
                    Draft(key: "a", labels: [1, 9]),
                    Draft(key: "b", labels: [2, 3]),
                    Draft(key: "c", labels: [0, "text"])
                )
            )

            let ascending = try await store.fetch(orderedBy: "label")
            let descending = try await store.fetch(orderedBy: "label", descending: true)

            try requireKeys(ascending, ["c", "a", "b"], "the ascending order")
            try requireKeys(descending, ["c", "a", "b"], "the descending order")
        },
        Check("conditions and order work together, on the same index too") { fixture in
            let store = try await fixture.open()
            try await store.commit(
                ChangeSet().inserting(
                    Draft(key: "a", rank: 3, labels: [1, 9]),
                    Draft(key: "b", rank: 2, labels: [1, 5]),
                    Draft(key: "c", rank: 1, labels: [5])
                )
            )
            func fetch(by index: String, limit: Int? = nil) async throws -> [StoredDocument] {
                try await store.fetch(
                    DocumentQuery(
                        kind: ContractEntity.entityName,
                        conditions: [DocumentQuery.Condition(index: "label", test: .oneOf([.integer(1)]))],
                        order: DocumentQuery.Order(index: index, isDescending: true),
                        limit: limit
                    )
                )
            }

            try requireKeys(try await fetch(by: "rank"), ["a", "b"], "the order of another index")
            // The order uses the greatest value, though another value met the condition.
            try requireKeys(try await fetch(by: "label"), ["a", "b"], "the order of the same index")
            try requireKeys(try await fetch(by: "rank", limit: 1), ["a"], "the first document")
        },
        Check("a fetch continues after a position, whether a document exists there or not") { fixture in
            let store = try await fixture.open()
            try await store.commit(
                ChangeSet().inserting(
                    Draft(key: "a", rank: 2, labels: [1, 5]),
                    Draft(key: "b", rank: 1, labels: [4]),
                    Draft(key: "c", rank: 2, labels: [2, 3]),
                    Draft(key: "d", labels: [9])
                )
            )
            func fetch(by index: String?, descending: Bool = false, after value: IndexValue?, _ key: String)
                async throws
                -> [StoredDocument]
            {
                try await store.fetch(
                    DocumentQuery(
                        kind: ContractEntity.entityName,
                        order: index.map { DocumentQuery.Order(index: $0, isDescending: descending) },
                        after: DocumentQuery.Place(value: value, key: key)
                    )
                )
            }

            try requireKeys(try await fetch(by: nil, after: nil, "b"), ["c", "d"], "a fetch after a key")
            try requireKeys(
                try await fetch(by: nil, after: nil, "bb"), ["c", "d"], "a fetch after a missing key")
            try requireKeys(
                try await fetch(by: "rank", after: .integer(2), "a"), ["c"], "a fetch after a key with the same value")
            try requireKeys(try await fetch(by: "rank", after: .integer(1), "z"), ["a", "c"], "a fetch after a value")
            try requireKeys(
                try await fetch(by: "rank", descending: true, after: .integer(2), "c"),
                ["a", "b"],
                "a descending fetch after a value"
            )
            try requireKeys(
                try await fetch(by: "label", after: .integer(2), "c"),
                ["b", "d"],
                "a fetch after the first of several values"
            )
        },
        Check("a limit returns the first documents, zero or less none, nil all") { fixture in
            let store = try await fixture.open()
            let keys = (0..<5).map { "\($0)" }
            try await store.commit(ChangeSet().inserting(keys.map { Draft(key: $0, rank: 1) }))
            func fetch(_ limit: Int?) async throws -> [StoredDocument] {
                try await store.fetch(DocumentQuery(kind: ContractEntity.entityName, limit: limit))
            }

            for limit in [-1, 0, 1, 4, 5, 6, Int.max] {
                let expected = Array(keys.prefix(max(0, limit)))
                try requireKeys(try await fetch(limit), expected, "a limit of \(limit)")
                let descending = Array(keys.reversed().prefix(max(0, limit)))
                try requireKeys(
                    try await store.fetch(orderedBy: "rank", descending: true, limit: limit),
                    descending,
                    "a limit of \(limit), descending"
                )
            }
            try requireKeys(try await fetch(nil), keys, "no limit")
        },
    ]
}
