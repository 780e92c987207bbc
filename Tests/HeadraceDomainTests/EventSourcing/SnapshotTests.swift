// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Foundation
import HeadraceCore
import HeadraceTesting
import Testing

@testable import HeadraceDomain
@testable import HeadraceStorage

@Suite struct SnapshotTests {
    private let wallets: WalletFixture

    init() throws {
        wallets = try WalletFixture()
    }

    @Test func aSnapshotReplacesThePreviousOneAfterEachInterval() async throws {
        try await wallets.open(deposits: 1)
        #expect(try await wallets.streamKeys() == ["1", "2"])
        try await wallets.add(1)
        #expect(try await wallets.streamKeys() == ["1", "2", "3", "snapshot-3"])
        for _ in 0..<2 { try await wallets.add(1) }
        #expect(try await wallets.streamKeys() == ["1", "2", "3", "4", "5", "snapshot-3"])
        try await wallets.work { context in
            let wallet = try await context.find(Wallet.self, id: "a")
            for _ in 0..<4 { wallet?.add(1) }
        }
        #expect(try await wallets.streamKeys() == ["1", "2", "3", "4", "5", "6", "7", "8", "9", "snapshot-9"])
        #expect(try await wallets.balance() == 8)
    }

    @Test func loadingReadsTheSnapshotAndTheLaterEventsOnly() async throws {
        try await wallets.open(deposits: 10)
        let store = CountingStore(wallets.store)

        #expect(try await EntityContext(store).find(Wallet.self, id: "a")?.balance == 10)

        // The entity, the snapshot after event 9, and events 10 and 11.
        #expect(store.read == [2, 4])
    }

    @Test func severalEntitiesAreReadAtOnce() async throws {
        for id in 1...20 { try await wallets.open("\(id)", owner: "\(id)", deposits: id) }
        let store = CountingStore(wallets.store)

        let found = try await EntityContext(store).find(Wallet.self, ids: (1...20).map { "\($0)" })

        #expect(found.map(\.balance) == Array(1...20))
        #expect(store.read.first == 2)
    }

    @Test func aHugeStreamIsReadInPartsAndASnapshotBoundsTheCost() async throws {
        let count = 10_000
        try await Wallet.$interval.withValue(.max) {
            try await wallets.work { context in
                let wallet = Wallet.open("a")
                for _ in 1..<count { wallet.add(1) }
                context.insert(wallet)
            }
        }
        let whole = CountingStore(wallets.store)
        #expect(try await EntityContext(whole).find(Wallet.self, id: "a")?.balance == count - 1)
        #expect(whole.read == [1 + count / 1_000, 1 + count])

        try await wallets.add(1)
        let bounded = CountingStore(wallets.store)
        #expect(try await EntityContext(bounded).find(Wallet.self, id: "a")?.balance == count)
        #expect(bounded.read == [2, 2])
    }

    @Test func aSnapshotOfAnotherSchemaVersionIsNeverRead() async throws {
        try await wallets.open(deposits: 2)
        // If it were read, the balance would be wrong.
        try await wallets.replace("snapshot-3", json: #"{"id":"a","owner":"Ada","balance":777,"changes":2}"#)
        #expect(try await wallets.balance() == 777)

        try await Wallet.$version.withValue(2) {
            #expect(try await wallets.balance() == 2)
            try await wallets.add(5)
            #expect(try await wallets.streamKeys() == ["1", "2", "3", "4", "snapshot-4"])
            #expect(try await wallets.balance() == 7)
        }
        let error = await caught(StoreError.self) { try await wallets.balance() }
        #expect(error?.code == .newerSchema)
    }

    @Test func theNextCommitReplacesASnapshotOfAnotherSchemaVersionAlsoWithALongerInterval() async throws {
        try await wallets.open(deposits: 2)

        try await Wallet.$version.withValue(2) {
            try await Wallet.$interval.withValue(100) {
                #expect(try await wallets.balance() == 2)
                #expect(try await wallets.streamKeys() == ["1", "2", "3", "snapshot-3"])
                try await wallets.add(5)
                #expect(try await wallets.streamKeys() == ["1", "2", "3", "4", "snapshot-4"])
            }
        }
    }

    @Test(arguments: ["{}", "[", "", #"{"id":"b","owner":"Ada","balance":777,"changes":2}"#])
    func aDamagedSnapshotIsRebuiltFromTheEvents(json: String) async throws {
        try await wallets.open(deposits: 3)
        try await wallets.replace("snapshot-3", json: json)

        #expect(try await wallets.balance() == 3)
        try await wallets.add(5)

        #expect(try await wallets.streamKeys() == ["1", "2", "3", "4", "5", "snapshot-5"])
        #expect(try await wallets.balance() == 8)
    }

    @Test func aLostSnapshotIsRebuiltFromTheEvents() async throws {
        try await wallets.open(deposits: 3)
        try await wallets.delete("snapshot-3")

        #expect(try await wallets.balance() == 3)
        try await wallets.add(5)

        #expect(try await wallets.streamKeys() == ["1", "2", "3", "4", "5", "snapshot-5"])
        try await wallets.delete("snapshot-5")
        try await wallets.work { $0.delete(try #require(try await $0.find(Wallet.self, id: "a"))) }
        #expect(try await wallets.streamKeys().isEmpty)
    }

    // MARK: Events

    @Test(arguments: [
        (#"{"name":"money-lost","recordedAt":0,"event":{"cents":1}}"#, 1, EventError.Code.unknownName, "money-lost"),
        (#"{"name":"money-added","recordedAt":0,"event":{"cents":1}}"#, 3, EventError.Code.newerVersion, "money-added"),
        (#"{"name":"money-added","recordedAt":0,"event":{"cent":1}}"#, 2, EventError.Code.undecodable, "money-added"),
    ])
    func anUnreadableEventIsNamedAndNothingIsWritten(
        json: String,
        version: Int,
        code: EventError.Code,
        name: String
    ) async throws {
        try await wallets.open(deposits: 1)
        try await wallets.replace("2", json: json, schemaVersion: version)
        let before = try await wallets.streamDocuments()

        let error = await caught(EventSourcingError.self) { try await wallets.add(1) }

        #expect(error?.code == .unreadableEvent)
        #expect(error?.entity == EntityReference(kind: "wallet", key: "a"))
        #expect(error?.eventNumber == 2)
        #expect((error?.cause as? EventError)?.code == code)
        #expect(error?.message.contains("'\(name)'") == true)
        #expect(error?.message.contains("appliedEvents") == (code == .unknownName))
        #expect(try await wallets.streamDocuments() == before)
        let inHistory = await caught(EventSourcingError.self) {
            _ = try await EntityContext(wallets.store).history(of: Wallet.self, id: "a", limit: 10)
        }
        #expect(inHistory?.eventNumber == 2)
    }

    @Test func anUnreadableEventBeforeAUsableSnapshotIsNotRead() async throws {
        try await wallets.open(deposits: 2)
        try await wallets.replace("000002", json: "{}")

        #expect(try await wallets.balance() == 2)
    }

    @Test func anEventOfAnEarlierVersionIsMigrated() async throws {
        try await wallets.open(deposits: 1)
        try await wallets.replace(
            "2", json: #"{"name":"money-added","recordedAt":0,"event":{"euros":3}}"#, schemaVersion: 1)
        #expect(try await wallets.balance() == 300)

        // Another program has written the members in another order.
        try await wallets.replace("2", json: #"{"event": {"euros": 4}, "recordedAt": 0, "name": "money-added"}"#)
        #expect(try await wallets.balance() == 400)
    }

    @Test func aMissingEventIsReported() async throws {
        try await wallets.open(deposits: 1)
        try await wallets.delete("1")

        let error = await caught(EventSourcingError.self) { try await wallets.balance() }

        #expect(error?.code == .missingEvent)
        #expect(error?.eventNumber == 1)
    }

    // MARK: Pruning

    @Test func pruningTheLogRemovesNothingFromAStream() async throws {
        try await wallets.open(deposits: 8)
        let before = try await wallets.streamDocuments()

        let pruned = try await wallets.store.prune(PruneRequest(eventsBefore: .distantFuture))

        #expect(pruned == 9)
        #expect(try await wallets.store.events(after: 0, limit: 10).isEmpty)
        #expect(try await wallets.streamDocuments() == before)
        try await wallets.delete("snapshot-9")
        #expect(try await wallets.balance() == 8)
    }
}
