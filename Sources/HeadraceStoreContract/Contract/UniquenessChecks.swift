// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage

extension StoreContract {
    static let uniquenessChecks: [Check] = [
        Check("a taken unique value is refused, and the error names the entity") { fixture in
            let store = try await fixture.open()
            try await store.commit(ChangeSet().inserting(Draft(key: "a", codes: ["c"]), Draft(key: "b")))

            let inserted = try await store.refuse(
                ChangeSet().inserting(Draft(key: "n", codes: ["c"])),
                with: .uniqueViolation,
                "an insertion with a taken unique value"
            )
            let updated = try await store.refuse(
                ChangeSet().updating(Draft(key: "b"), at: 1, to: Draft(key: "b", codes: ["c"])),
                with: .uniqueViolation,
                "an update to a taken unique value"
            )

            let entry = ChangeSet.IndexEntry(index: "code", value: .text("c"))
            for (error, key) in [(inserted, "n"), (updated, "b")] {
                let reference = Draft(key: key).reference
                try requireEqual(error.entity, reference, "the entity of the error")
                try requireEqual(
                    error.message,
                    StoreError.uniqueViolation(reference, entry: entry, takenBy: "a").message,
                    "the message"
                )
            }
        },
        Check("an entity keeps its unique value when it is written again") { fixture in
            let store = try await fixture.open()
            let draft = Draft(key: "a", codes: ["c", "d"])
            try await store.commit(ChangeSet().inserting(draft))

            try await store.commit(ChangeSet().updating(draft, at: 1, to: Draft(key: "a", text: "new", codes: ["d"])))

            try requireKeys(try await store.fetch(where: "code", .oneOf([.text("c")])), [], "the removed value")
            try requireKeys(try await store.fetch(where: "code", .oneOf([.text("d")])), ["a"], "the kept value")
            try await store.commit(ChangeSet().inserting(Draft(key: "b", codes: ["c"])))
        },
        Check("entities can exchange unique values in one change set, in any order of its writes") { fixture in
            let store = try await fixture.open()
            let drafts = ["a", "b", "c"].map { Draft(key: $0, codes: [.text($0)]) }
            try await store.commit(ChangeSet().inserting(drafts))

            // A ring of three entities, once forwards and once backwards.
            let forwards = try ChangeSet()
                .updating(drafts[0], at: 1, to: Draft(key: "a", codes: ["b"]))
                .updating(drafts[1], at: 1, to: Draft(key: "b", codes: ["c"]))
                .updating(drafts[2], at: 1, to: Draft(key: "c", codes: ["a"]))
            try await store.commit(forwards)
            try requireKeys(
                try await ["a", "b", "c"].asyncMap { code in
                    try await store.fetch(where: "code", .oneOf([.text(code)]))
                }.flatMap { $0 },
                ["c", "a", "b"],
                "the ring"
            )

            let backwards = try ChangeSet()
                .updating(Draft(key: "c", codes: ["a"]), at: 2, to: drafts[2])
                .updating(Draft(key: "b", codes: ["c"]), at: 2, to: drafts[1])
                .updating(Draft(key: "a", codes: ["b"]), at: 2, to: drafts[0])
            try await store.commit(backwards)
            try requireKeys(
                try await ["a", "b", "c"].asyncMap { code in
                    try await store.fetch(where: "code", .oneOf([.text(code)]))
                }.flatMap { $0 },
                ["a", "b", "c"],
                "the ring turned back"
            )
        },
        Check("a unique value that a deletion frees is taken in the same change set") { fixture in
            let store = try await fixture.open()
            let old = Draft(key: "old", codes: ["c"])
            try await store.commit(ChangeSet().inserting(old))

            try await store.commit(ChangeSet().inserting(Draft(key: "new", codes: ["c"])).deleting(old, at: 1))

            try requireKeys(try await store.fetch(where: "code", .oneOf([.text("c")])), ["new"], "the value")
        },
        Check("a unique value that an update frees is taken in the same change set") { fixture in
            let store = try await fixture.open()
            let old = Draft(key: "old", codes: ["c"])
            try await store.commit(ChangeSet().inserting(old))

            try await store.commit(
                ChangeSet().inserting(Draft(key: "new", codes: ["c"])).updating(old, at: 1, to: Draft(key: "old"))
            )

            try requireKeys(try await store.fetch(where: "code", .oneOf([.text("c")])), ["new"], "the value")
        },
        Check("a unique value cannot be taken twice in one change set") { fixture in
            let store = try await fixture.open()

            try await store.refuse(
                ChangeSet().inserting(Draft(key: "a", codes: ["c"]), Draft(key: "b", codes: ["c"])),
                with: .uniqueViolation,
                "a change set with two entities of one unique value"
            )

            try requireKeys(try await store.fetch(DocumentQuery(kind: ContractEntity.entityName)), [], "the store")
        },
        Check("unique values that differ in their bytes or their type are different") { fixture in
            let store = try await fixture.open()

            for (number, value) in edgeCaseValues.enumerated() {
                try await store.commit(ChangeSet().inserting(Draft(key: "\(number)", codes: [value])))
            }

            for (number, value) in edgeCaseValues.enumerated() {
                try requireKeys(
                    try await store.fetch(where: "code", .oneOf([value.indexValue])),
                    ["\(number)"],
                    "odd value \(number)"
                )
                try await store.refuse(
                    ChangeSet().inserting(Draft(key: "again", codes: [value])),
                    with: .uniqueViolation,
                    "odd value \(number) a second time"
                )
            }
        },
        Check("values of an index that is not unique may be shared") { fixture in
            let store = try await fixture.open()

            try await store.commit(
                ChangeSet().inserting(Draft(key: "a", rank: 1, labels: ["x"]), Draft(key: "b", rank: 1, labels: ["x"]))
            )

            try requireKeys(try await store.fetch(where: "rank", .oneOf([.integer(1)])), ["a", "b"], "the rank")
            try requireKeys(try await store.fetch(where: "label", .oneOf([.text("x")])), ["a", "b"], "the label")
        },
    ]
}

extension Sequence {
    /// Maps the elements one after another.
    nonisolated(nonsending) func asyncMap<Result>(
        _ transform: nonisolated(nonsending) (Element) async throws -> Result
    ) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self {
            results.append(try await transform(element))
        }
        return results
    }
}
