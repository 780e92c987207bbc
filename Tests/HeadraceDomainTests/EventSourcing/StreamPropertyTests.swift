// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Foundation
import HeadraceTesting
import Testing

@testable import HeadraceDomain
@testable import HeadraceStorage

@Suite struct StreamPropertyTests {
    /// Random changes of some wallets, with random intervals, versions, failures, and lost snapshots.
    @Test(arguments: 0..<UInt64(40)) func aSnapshotAndTheLaterEventsEqualTheFoldOfAllEvents(seed: UInt64) async throws {
        let wallets = try WalletFixture()
        var random = SeededGenerator(seed: seed)
        var version = 1
        var expected: [String: [any DurableDomainEvent]] = [:]
        var writtenCount = 0
        for _ in 0..<60 {
            if version < 9, Int.random(in: 0..<15, using: &random) == 0 { version += 1 }
            let interval = Int.random(in: 1...6, using: &random)
            let id = ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
            let choice = Int.random(in: 0..<12, using: &random)
            let amounts = (0..<Int.random(in: 0..<8, using: &random)).map { _ in Int.random(in: 1..<9, using: &random) }
            try await Wallet.$interval.withValue(interval) {
                try await Wallet.$version.withValue(version) {
                    if choice == 0 {
                        try await wallets.delete(snapshotOf: id)
                    } else if choice == 1 {
                        try await wallets.work { context in
                            if let wallet = try await context.find(Wallet.self, id: id) { context.delete(wallet) }
                        }
                        expected[id] = nil
                    } else if choice == 2 {
                        await #expect(throws: TooLittleMoney.self) {
                            try await wallets.add(amounts, to: id, fails: true)
                        }
                    } else {
                        try await wallets.add(amounts, to: id, fails: false)
                        if expected[id] == nil { expected[id] = [WalletOpened(owner: id)] }
                        expected[id]? += amounts.map { MoneyAdded(cents: $0) }
                        writtenCount += 1
                    }
                    try await wallets.requireFolds(expected)
                }
            }
        }
        #expect(writtenCount > 0)
    }
}

extension WalletFixture {
    /// Makes deposits in one unit of work, which opens the wallet if it doesn't exist, and fails at the end if `fails`.
    fileprivate nonisolated(nonsending) func add(_ amounts: [Int], to id: String, fails: Bool) async throws {
        try await work { context in
            let wallet = try await context.find(Wallet.self, id: id) ?? Wallet.open(id, owner: id)
            context.insert(wallet)
            for amount in amounts { wallet.add(amount) }
            if fails { throw TooLittleMoney() }
        }
    }

    /// Requires that the store has these wallets, and that their states are the folds of these events.
    fileprivate nonisolated(nonsending) func requireFolds(
        _ expected: [String: [any DurableDomainEvent]]
    ) async throws {
        let context = EntityContext(store)
        let found = try await context.fetch(Wallet.self)
        #expect(found.map(\.id) == expected.keys.sorted())
        for wallet in found {
            let events = expected[wallet.id] ?? []
            #expect(try wallet.stateDocument() == Wallet.folded(id: wallet.id, events).stateDocument())
            let history = try await context.history(of: Wallet.self, id: wallet.id, limit: .max)
            let whole = Wallet.folded(id: wallet.id, history.map(\.event))
            #expect(try wallet.stateDocument() == whole.stateDocument())
            #expect(history.map(\.number) == Array(1...events.count))
            #expect(
                try await EntityContext(store).fetch(Wallet.self, where: [.equals(.owner, wallet.id)]).map(\.id)
                    == [wallet.id])
        }
    }

    /// Deletes the snapshot of a wallet, if there is one.
    fileprivate nonisolated(nonsending) func delete(snapshotOf id: String) async throws {
        guard let head = try await store.find(EntityReference(kind: "wallet", key: id)) else { return }
        let stream = try DocumentCoding.decode(StreamHead<String>.self, from: head.json).stream.storageKey
        for document in try await streamDocuments()
        where document.reference.key.hasPrefix(stream) && document.reference.key.contains("snapshot") {
            try await store.commit(
                ChangeSet(deletions: [ChangeSet.Deletion(reference: document.reference, expectedVersion: 1)]))
        }
    }
}
