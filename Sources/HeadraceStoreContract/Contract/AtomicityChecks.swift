// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage

extension StoreContract {
    static let atomicityChecks: [Check] = [
        Check("a change set is stored completely") { fixture in
            let store = try await fixture.open()
            try await store.commit(Sweep.base())

            try await store.commit(Sweep.valid())

            try requireKeys(
                try await store.fetch(DocumentQuery(kind: ContractEntity.entityName)),
                ["a", "b", "e", "n1", "n2"],
                "the store"
            )
            try requireKeys(try await store.fetch(where: "code", .oneOf([.text("code a")])), ["b"], "the code of a")
            try requireKeys(try await store.fetch(where: "code", .oneOf([.text("code b")])), ["a"], "the code of b")
            try requireKeys(try await store.fetch(where: "code", .oneOf([.text("code c")])), ["n1"], "the code of c")
            try requireEqual(
                try await store.events(after: 0, limit: 10).map(\.event),
                [.numbered(1), .numbered(2), .numbered(3)],
                "the log"
            )
        },
        Check("a change set with a refused part stores nothing, whatever the position of that part") { fixture in
            let store = try await fixture.open()
            try await store.commit(Sweep.base())
            let before = try await store.contents()

            for part in try Sweep.refusedWrites() {
                for position in 0...(try Sweep.valid().writes.count) {
                    var changes = try Sweep.valid()
                    changes.writes.insert(contentsOf: part.writes, at: position)
                    let subject = "a change set with \(part.name) at position \(position)"
                    try await store.refuse(changes, with: part.code, subject)
                    try require(
                        try await store.contents() == before, "\(subject) stores nothing", "it stores something")
                }
            }
            for part in Sweep.refusedDeletions() {
                for position in 0...(try Sweep.valid().deletions.count) {
                    var changes = try Sweep.valid()
                    changes.deletions.insert(contentsOf: part.deletions, at: position)
                    let subject = "a change set with \(part.name) at position \(position)"
                    try await store.refuse(changes, with: part.code, subject)
                    try require(
                        try await store.contents() == before, "\(subject) stores nothing", "it stores something")
                }
            }

            // Index entries that were left behind would show when their keys and values are used again.
            try await store.commit(ChangeSet().inserting(Draft(key: "n1"), Draft(key: "n2")))
            let plain = try await store.contents()
            try requireEqual(plain.indexes, before.indexes, "the content of the indexes")
            try await store.commit(ChangeSet().deleting(Draft(key: "n1"), at: 1).deleting(Draft(key: "n2"), at: 1))
            try await store.commit(Sweep.valid())
            try requireEqual(
                try await store.events(after: 0, limit: 10).map(\.event),
                [.numbered(1), .numbered(2), .numbered(3)],
                "the log"
            )
        },
        Check("a fetch reads one snapshot during concurrent commits") { fixture in
            let store = try await fixture.open()
            let one = Draft(key: "one", rank: 1)
            let two = Draft(key: "two", rank: 1)
            try await store.commit(ChangeSet().inserting(one, two))

            try await withThrowingTaskGroup { group in
                group.addTask {
                    for version in 1...60 {
                        let changes = try ChangeSet().updating(one, at: version, to: one)
                        try await store.commit(changes.updating(two, at: version, to: two))
                    }
                }
                for _ in 0..<2 {
                    group.addTask {
                        for _ in 0..<60 {
                            let versions = try await store.fetch(orderedBy: "rank").map(\.version)
                            try require(
                                versions.count == 2 && versions.first == versions.last,
                                "two documents that are always written together have the same version",
                                "their versions are \(versions)"
                            )
                        }
                    }
                }
                try await group.waitForAll()
            }
        },
    ]
}

/// The changes for the checks that put a refused part at every position.
private enum Sweep {
    struct Part {
        let name: String
        let code: StoreError.Code
        var writes: [ChangeSet.Write] = []
        var deletions: [ChangeSet.Deletion] = []
    }

    static func draft(_ key: String, code: String? = nil) -> Draft {
        Draft(
            key: key,
            rank: .number(Int64(key.utf8.count)),
            labels: ["all", .text("label \(key)")],
            codes: [.text(code ?? "code \(key)")]
        )
    }

    /// Returns the changes that store the initial documents: `a` to `e`, all at version 1.
    static func base() throws -> ChangeSet {
        try ChangeSet().inserting(["a", "b", "c", "d", "e"].map { draft($0) })
    }

    /// Returns a valid change set: two insertions, one of which takes a value that is freed; an exchange of unique
    /// values; two deletions; three events.
    static func valid() throws -> ChangeSet {
        try ChangeSet()
            .inserting(draft("n1", code: "code c"))
            .updating(draft("a"), at: 1, to: draft("a", code: "code b"))
            .inserting(draft("n2"))
            .updating(draft("b"), at: 1, to: draft("b", code: "code a"))
            .deleting(draft("c"), at: 1)
            .deleting(draft("d"), at: 1)
            .recording(.numbered(1), .numbered(2), .numbered(3))
    }

    static func refusedWrites() throws -> [Part] {
        let free = draft("e", code: "free")
        return [
            Part(
                name: "an insertion under a taken key",
                code: .alreadyExists,
                writes: [try .inserting(free)]
            ),
            Part(
                name: "an update of a version that was not stored yet",
                code: .versionConflict,
                writes: [try .updating(draft("e"), at: 2, to: free)]
            ),
            Part(
                name: "an update of nothing",
                code: .versionConflict,
                writes: [try .updating(draft("x"), at: 1, to: draft("x", code: "free"))]
            ),
            Part(
                name: "an insertion with a unique value that is taken",
                code: .uniqueViolation,
                writes: [try .inserting(draft("x", code: "code e"))]
            ),
            Part(
                name: "an update to a unique value that another part takes",
                code: .uniqueViolation,
                writes: [try .updating(draft("e"), at: 1, to: draft("e", code: "code n2"))]
            ),
            Part(
                name: "two insertions with one unique value",
                code: .uniqueViolation,
                writes: [try .inserting(draft("x", code: "free")), try .inserting(draft("y", code: "free"))]
            ),
        ]
    }

    static func refusedDeletions() -> [Part] {
        [
            Part(
                name: "a deletion of another version",
                code: .versionConflict,
                deletions: [.deleting(draft("e"), at: 2)]
            ),
            Part(
                name: "a deletion of nothing",
                code: .versionConflict,
                deletions: [.deleting(draft("x"), at: 1)]
            ),
        ]
    }
}
