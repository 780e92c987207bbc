// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

extension StoreContract {
    static let concurrencyChecks: [Check] = [
        Check("of many writers exactly one writes each version, and no update is lost") { fixture in
            let store = try await fixture.open()
            try await store.commit(ChangeSet().inserting(StoredNumber(0).draft))
            let writers = 8
            let additions = 12

            let conflicts = try await withThrowingTaskGroup(of: Int.self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        var conflicts = 0
                        for _ in 0..<additions {
                            conflicts += try await StoredNumber.add(1, to: store, recording: .numbered(UInt8(writer)))
                        }
                        return conflicts
                    }
                }
                return try await group.reduce(0, +)
            }

            let document = try await store.find(StoredNumber(0).draft.reference)
            let observed = "after \(conflicts) conflicts"
            try requireEqual(document?.version, writers * additions + 1, "the version \(observed)")
            try requireEqual(try document.map(StoredNumber.init)?.value, writers * additions, "the sum \(observed)")
            let events = try await store.events(after: 0, limit: .max)
            try requireEqual(events.count, writers * additions, "the number of events \(observed)")
        },
        Check("later commits do not change a snapshot") { fixture in
            let store = try await fixture.open()
            try await store.commit(
                ChangeSet(events: [.numbered(1)]).inserting(Draft(key: "a", rank: 1), Draft(key: "b", rank: 2))
            )

            let snapshot = try await store.snapshot()
            let found = try await store.find(Draft(key: "a").reference)
            try await store.commit(
                ChangeSet(events: [.numbered(2)]).inserting(Draft(key: "c", rank: 0))
            )
            let query = DocumentQuery(
                kind: ContractEntity.entityName, order: DocumentQuery.Order(index: "rank", isDescending: false))

            try requireKeys(try await snapshot.fetch(query), ["a", "b"], "a fetch in the snapshot")
            try requireEqual(
                try await snapshot.find(Draft(key: "c").reference), nil, "the document that is not in the snapshot")
            try requireEqual(
                try await snapshot.find(Draft(key: "a").reference), found, "the document that is in the snapshot")
            try requireEqual(try await snapshot.events(after: 0, limit: 10).count, 1, "the events of the snapshot")
            try requireKeys(try await store.fetch(query), ["c", "a", "b"], "a fetch in the store")
        },
        Check("of many insertions with one key exactly one is stored") { fixture in
            let store = try await fixture.open()

            let stored = try await withThrowingTaskGroup(of: Bool.self) { group in
                for writer in 0..<16 {
                    group.addTask {
                        do {
                            try await store.commit(ChangeSet().inserting(Draft(key: "a", text: "\(writer)")))
                            return true
                        } catch let error as StoreError where error.code == .alreadyExists {
                            return false
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }

            try requireEqual(stored, 1, "the number of insertions")
        },
        Check("of many insertions with one unique value exactly one is stored") { fixture in
            let store = try await fixture.open()

            let stored = try await withThrowingTaskGroup(of: Bool.self) { group in
                for writer in 0..<16 {
                    group.addTask {
                        do {
                            try await store.commit(ChangeSet().inserting(Draft(key: "\(writer)", codes: ["c"])))
                            return true
                        } catch let error as StoreError where error.code == .uniqueViolation {
                            return false
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }

            try requireEqual(stored, 1, "the number of insertions")
            try requireEqual(
                try await store.fetch(DocumentQuery(kind: ContractEntity.entityName)).count,
                1,
                "the number of documents"
            )
        },
        Check("a commit in a cancelled task is either stored or throws") { fixture in
            let store = try await fixture.open()

            var outcomes: [Bool] = []
            for round in 0..<60 {
                let draft = Draft(key: "\(round)", rank: 1, codes: [.number(Int64(round))])
                let task = Task {
                    try await store.commit(ChangeSet().inserting(draft).recording(.numbered(UInt8(round))))
                }
                // Some are cancelled before the commit, some during it, and some after it.
                if round % 3 == 1 { _ = try await store.find(draft.reference) }
                if round % 3 == 2 { _ = await task.result }
                task.cancel()

                let isStored = (try? await task.value) != nil
                outcomes.append(isStored)

                let version = try await store.find(draft.reference)?.version
                try requireEqual(version, isStored ? 1 : nil, "the version stored in round \(round)")
            }

            try requireEqual(
                try await store.events(after: 0, limit: .max).count,
                outcomes.count { $0 },
                "the number of events"
            )
            try requireEqual(
                try await store.fetch(orderedBy: "rank").count,
                outcomes.count { $0 },
                "the number of documents"
            )
        },
        Check("a cancelled task does not read, and does not affect other tasks") { fixture in
            let store = try await fixture.open()
            let draft = Draft(key: "a", rank: 1)
            try await store.commit(ChangeSet().inserting(draft).recording(.numbered(1)))

            try await withThrowingTaskGroup { group in
                for reader in 0..<30 {
                    group.addTask {
                        let task = Task {
                            switch reader % 3 {
                            case 0: try await store.find(draft.reference) != nil
                            case 1: try await store.fetch(orderedBy: "rank").count == 1
                            default: try await store.events(after: 0, limit: 10).count == 1
                            }
                        }
                        task.cancel()
                        do {
                            try require(try await task.value, "a read that returns is complete")
                        } catch is CancellationError {}
                    }
                }
                try await group.waitForAll()
            }

            try requireEqual(try await store.find(draft.reference)?.version, 1, "the version")
        },
    ]
}

/// A number that is stored in a document.
private struct StoredNumber {
    let value: Int

    var draft: Draft { Draft(key: "counter", text: "\(value)", rank: .number(Int64(value))) }

    init(_ value: Int) {
        self.value = value
    }

    init(_ document: StoredDocument) throws {
        let entity = try JSONDecoder().decode(ContractEntity.self, from: document.json)
        value = Int(entity.draft.text) ?? 0
    }

    /// Adds to the stored number, with retries until the commit succeeds.
    ///
    /// - Returns: The number of conflicts.
    static func add(_ number: Int, to store: any EntityStore, recording event: NewEvent) async throws -> Int {
        var conflicts = 0
        while conflicts < 10_000 {
            guard let document = try await store.find(StoredNumber(0).draft.reference) else {
                throw ContractViolation(
                    expectation: "the counter is stored",
                    observation: "it is missing",
                    fileID: #fileID,
                    line: #line
                )
            }
            let old = try StoredNumber(document)
            do {
                let new = StoredNumber(old.value + number)
                try await store.commit(
                    ChangeSet().updating(old.draft, at: document.version, to: new.draft).recording(event)
                )
                return conflicts
            } catch let error as StoreError where error.code == .versionConflict {
                conflicts += 1
            }
        }
        throw ContractViolation(
            expectation: "a write of the version that was just read succeeds, unless another writer was faster",
            observation: "10,000 conflicts in a row",
            fileID: #fileID,
            line: #line
        )
    }
}
