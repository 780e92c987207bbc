// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceDomain
@testable import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting
import Testing

/// A disk that fails while the power is on.
@Suite(.timeLimit(.minutes(5))) struct FailedSyncTests {
    @Test func afterAFailedSyncNoAcknowledgedChangeIsLost() async throws {
        for seed in 0..<40 as Range<UInt64> {
            let machine = PowerMachine(seed: seed, sectorSize: 4_096)
            var store = try machine.openStore()
            try await store.commit(.entry("before"))
            try await store.commit(.entry("relaxed", .relaxed))

            machine.failSync(1)
            let outcomes = await store.commitAll((0..<6).map { .entry("together \($0)") })
            let later = await store.commitAll([.entry("later"), .entry("relaxed later", .relaxed)])
            machine.failPower()
            try? store.close()
            machine.start()
            store = try machine.openStore()

            let found = try PowerRemains(store)
            let acknowledged = ["before"] + outcomes.stored + later.stored
            #expect(found.entries.isSuperset(of: acknowledged), "seed \(seed)")
            #expect(found.damage == [], "seed \(seed)")
            #expect(outcomes.errors.contains { $0 is StoreError })
            try store.close()
            #expect(machine.destroy() == 0)
        }
    }

    @Test func afterAFailedSyncTheStoreReadsAndRefusesToWrite() async throws {
        let machine = PowerMachine(seed: 1, sectorSize: 4_096)
        let store = try machine.openStore()
        try await store.commit(.entry("before"))

        machine.failSync(1)
        let error = try #require(await store.commitAll([.entry("failed")]).errors.first as? StoreError)
        let refused = await store.commitAll([.entry("durable"), .entry("relaxed", .relaxed)])
        await #expect(throws: StoreError.self) {
            try await store.settle([Settlement(lease: Lease(lane: 1, token: 1))])
        }

        #expect(error.code == .unusable)
        #expect(
            error.message == """
                '/store.sqlite' cannot be used: the disk did not confirm a write. The last changes may or may not be stored, \
                and the store writes nothing more. To fix, check the disk, then close the store and open it again.
                """
        )
        #expect(refused.errors.map { ($0 as? StoreError)?.message } == [error.message, error.message])
        #expect(try await store.find(EntityReference(kind: "entry", key: "before")) != nil)
        try store.close()

        let next = try machine.openStore()
        try await next.commit(.entry("after"))
        #expect(try PowerRemains(next).entries == ["before", "after"])
        try next.close()
        #expect(machine.destroy() == 0)
    }

    /// After the rolled back `CREATE TABLE`, SQLite must read the schema again, which makes `PRAGMA synchronous` fail.
    @Test func aDurableCommitWaitsForTheDiskAfterARelaxedCommitOnABrokenDisk() async throws {
        let machine = PowerMachine(seed: 1, sectorSize: 4_096)
        let store = try machine.openStore()
        var changes = ChangeSet.entry("broken", .relaxed)
        changes.work = [
            SQLWork { database in
                try database.execute(sql: "CREATE TABLE other (id INTEGER)")
                machine.breakDisk()
            }
        ]

        let outcomes = await store.commitAll([changes])
        machine.repairDisk()
        let before = machine.syncCount
        try await store.commit(.entry("durable"))

        #expect(outcomes.stored == [])
        #expect(machine.syncCount == before + 1)
        #expect(try store.writerPragma("synchronous") == 2)
        try store.close()
        #expect(machine.destroy() == 0)
    }
}

extension ChangeSet {
    /// An insertion of one entry.
    fileprivate static func entry(_ id: String, _ durability: Durability = .durable) -> ChangeSet {
        let document = StoredDocument(PowerEntry.entityName, id)
        let label = ChangeSet.IndexEntry(index: "label", value: id.indexValue)
        var changes = ChangeSet(writes: [Write(document: document, addedEntries: [label])])
        changes.durability = durability
        return changes
    }
}

extension SQLiteStore {
    /// Commits all of `changes` concurrently.
    fileprivate func commitAll(_ changes: [ChangeSet]) async -> [Outcome] {
        await withTaskGroup(of: Outcome.self) { group in
            for changes in changes {
                group.addTask {
                    let id = changes.writes[0].document.reference.key
                    do {
                        return (id: id, result: .success(try await self.commit(changes)))
                    } catch {
                        return (id: id, result: .failure(error))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}

private typealias Outcome = (id: String, result: Result<Void, any Error>)

extension [Outcome] {
    fileprivate var stored: [String] {
        filter { if case .success = $0.result { true } else { false } }.map(\.id)
    }

    fileprivate var errors: [any Error] {
        compactMap { if case .failure(let error) = $0.result { error } else { nil } }
    }
}
#endif
