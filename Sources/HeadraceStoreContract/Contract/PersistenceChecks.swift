// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
import HeadraceStorage

extension StoreContract {
    static let persistenceChecks: [Check] = [
        Check("a store that is opened again holds everything") { fixture in
            let drafts = edgeCaseValues.enumerated().map { index, value in
                Draft(key: "\(index)", text: "first", rank: value, labels: [value, "all"], codes: [value])
            }
            let before = try await fixture.withStore { store in
                try await store.commit(ChangeSet().inserting(drafts).recording(.numbered(1), .numbered(2)))
                try await store.commit(ChangeSet().updating(drafts[0], at: 1, to: drafts[0]))
                return try await store.contents()
            }

            for opening in 1...2 {
                let store = try await fixture.open()
                try require(try await store.contents() == before, "opening \(opening) finds the stored content")
            }

            let store = try await fixture.open()
            try await store.refuse(
                ChangeSet().updating(drafts[0], at: 1, to: drafts[0]),
                with: .versionConflict,
                "an update of an earlier version"
            )
            try await store.refuse(
                ChangeSet().inserting(Draft(key: "new", codes: drafts[1].codes)),
                with: .uniqueViolation,
                "a unique value that was stored before"
            )
            try await store.commit(ChangeSet().recording(.numbered(3)))
            let positions = try await store.events(after: 0, limit: 10).map(\.position)
            try require(
                zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 } && positions.count == 3,
                "positions continue to grow",
                "they are \(positions)"
            )
        },
        Check("a new index contains the documents that were stored before") { fixture in
            let draft = Draft(key: "a", rank: 1, labels: ["x", "y"], codes: ["c"])
            try await fixture.withStore([Unindexed.self]) { store in
                try await store.commit(
                    ChangeSet(writes: [ChangeSet.Write(document: try draft.document(version: 1))])
                )
            }

            let store = try await fixture.open()

            try requireKeys(try await store.fetch(where: "rank", .oneOf([.integer(1)])), ["a"], "the rank")
            try requireKeys(try await store.fetch(where: "label", .oneOf([.text("y")])), ["a"], "the label")
            try requireKeys(try await store.fetch(where: "code", .oneOf([.text("c")])), ["a"], "the code")
            try await store.refuse(
                ChangeSet().inserting(Draft(key: "b", codes: ["c"])),
                with: .uniqueViolation,
                "a unique value that was stored before"
            )
        },
        Check("a new unique index that stored documents violate prevents opening, and changes nothing") { fixture in
            try await fixture.withStore([Unindexed.self]) { store in
                let drafts = ["a", "b"].map { Draft(key: $0, codes: ["c"]) }
                try await store.commit(
                    ChangeSet(writes: try drafts.map { ChangeSet.Write(document: try $0.document(version: 1)) })
                )
            }

            for _ in 0..<2 {
                do {
                    _ = try await fixture.open()
                } catch let error as StoreError where error.code == .uniqueViolation {
                    continue
                }
                throw ContractViolation(
                    expectation: "a violated unique index is refused with uniqueViolation",
                    observation: "the store opens",
                    fileID: #fileID,
                    line: #line
                )
            }

            let store = try await fixture.openStore([Unindexed.self])
            try requireKeys(try await store.fetch(DocumentQuery(kind: ContractEntity.entityName)), ["a", "b"], "it")
        },
        Check("an index that is removed and declared again contains the changes in between") { fixture in
            let old = Draft(key: "a", rank: 1)
            let new = Draft(key: "a", rank: 2)
            try await fixture.withStore { store in
                try await store.commit(ChangeSet().inserting(old, Draft(key: "b", rank: 1)))
            }
            try await fixture.withStore([Unindexed.self]) { store in
                try await store.commit(
                    ChangeSet(
                        writes: [ChangeSet.Write(document: try new.document(version: 2))],
                        deletions: [ChangeSet.Deletion(reference: Draft(key: "b").reference, expectedVersion: 1)]
                    )
                )
            }

            let store = try await fixture.open()

            try requireKeys(try await store.fetch(where: "rank", .oneOf([.integer(1)])), [], "the earlier value")
            try requireKeys(try await store.fetch(where: "rank", .oneOf([.integer(2)])), ["a"], "the later value")
            try await store.commit(ChangeSet().inserting(Draft(key: "b")))
            try requireKeys(try await store.fetch(orderedBy: "rank"), ["a"], "the order")
        },
        Check("a store of a later schema version does not open with an earlier one") { fixture in
            try await fixture.withStore([LaterVersion.self]) { store in
                try await store.commit(ChangeSet().inserting(Draft(key: "a")))
            }

            do {
                _ = try await fixture.open()
            } catch let error as StoreError where error.code == .newerSchema {
                let store = try await fixture.openStore([LaterVersion.self])
                try requireKeys(try await store.fetch(DocumentQuery(kind: ContractEntity.entityName)), ["a"], "it")
                return
            }
            throw ContractViolation(
                expectation: "an earlier schema version is refused with newerSchema",
                observation: "the store opens",
                fileID: #fileID,
                line: #line
            )
        },
        Check("a later schema version rebuilds the indexes with its rules") { fixture in
            let draft = Draft(key: "a", rank: 1)
            try await fixture.withStore { store in
                try await store.commit(ChangeSet().inserting(draft))
            }

            let store = try await fixture.openStore([LaterVersion.self])

            try requireKeys(try await store.fetch(where: "rank", .oneOf([.integer(1)])), [], "the earlier rule")
            try requireKeys(try await store.fetch(where: "rank", .oneOf([.text("later")])), ["a"], "the later rule")
        },
    ]
}

/// The contract's entity without its indexes.
private final class Unindexed: StoredEntity {
    static let entityName = ContractEntity.entityName

    let draft: Draft
    var raisedEvents = RaisedEvents()

    var id: String { draft.key }
}

/// The contract's entity in a later version of the program, with another rule for its index.
private final class LaterVersion: StoredEntity {
    static let entityName = ContractEntity.entityName
    static let schemaVersion = 2
    static var indexes: [EntityIndex<LaterVersion>] {
        [EntityIndex("rank") { $0.draft.rank.map { _ in "later" } }]
    }

    let draft: Draft
    var raisedEvents = RaisedEvents()

    var id: String { draft.key }
}
