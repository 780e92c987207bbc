// SPDX-License-Identifier: Apache-2.0

#if Simulation
import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceSimulation
import HeadraceStorage
import HeadraceStoreContract
import HeadraceTesting
import Testing

@Suite struct StoreTests {
    @Test(arguments: StoreContract.checks(for: StoreContract.Capabilities(isShared: true)))
    func theStoreKeepsTheContract(_ check: StoreContract.Check) async throws {
        // The checks make their own UUIDs and clocks.
        try await Simulation.run(seed: 1, entities: [], faults: .none, allowing: [.realClock, .realRandomNumbers]) { world in
            var values = SystemValues.current
            // A check releases a context with changes.
            values.reportMistake = nil
            try await SystemValues.withCurrent(values) {
                try await check.run { entities in try world.openStore(entities: entities) }
            }
        }
    }

    @Test(arguments: [SimulatedStore.Kind.server, .file])
    func anAcknowledgedDurableCommitSurvivesEachCrash(_ kind: SimulatedStore.Kind) async {
        var faults = SimulatedFaults.all
        faults.storeCrashInterval = .milliseconds(300)
        faults.killInterval = .seconds(3)
        let summary = await Simulation.explore(
            seeds: 0..<40, entities: Bank.entities, store: kind, faults: faults
        ) { world in
            let nodes = try await world.start("writer", count: 2, content: { node in node.store })
            let acknowledged = Notes<String>()
            try await world.clients(4) { client in
                for number in 0..<15 {
                    let id = "\(client)-\(number)"
                    try? await world.any(of: nodes).request { store in try await Self.insert(id, store, .durable) }
                    if try await EntityContext(world.store).find(BankAccount.self, id: id) == nil { continue }
                    try await world.clock.sleep(for: .milliseconds(20))
                }
                for number in 100..<110 {
                    let id = "\(client)-\(number)"
                    do {
                        try await world.any(of: nodes).request { store in try await Self.insert(id, store, .durable) }
                        acknowledged.add(id)
                    } catch {}
                }
            }
            world.endFaults()
            for id in acknowledged.values {
                let account = try await EntityContext(world.store).find(BankAccount.self, id: id)
                world.expect(account != nil, "'\(id)' was acknowledged, and is lost")
            }
        }
        #expect(summary.faultCounts["store-crash", default: 0] > 20)
    }

    @Test func aPowerFailureLosesASuffixOfRelaxedCommitsOnly() async throws {
        let lost = Notes<Int>()
        await Simulation.explore(seeds: 0..<30, entities: Bank.entities, store: .file, faults: .none) { world in
            let writer = try await world.start("writer", content: { node in node.store })[0]
            var acknowledged = 0
            for number in 1...20 {
                try await writer.request { store in
                    try await Self.insert("\(number)", store, number == 7 ? .durable : .relaxed)
                }
                acknowledged = number
            }
            world.crashStore()
            try await world.clock.sleep(for: .seconds(5))
            let stored = try await EntityContext(world.store).fetch(BankAccount.self).compactMap { Int($0.id) }.sorted()
            world.expect(stored == Array(1...stored.count), "it is no prefix: \(stored)")
            world.expect(stored.count >= 7, "a durable commit is lost")
            world.expect(writer.isRunning, "the writer has not started again")
            lost.add(acknowledged - stored.count)
        }
        #expect(lost.values.allSatisfy { $0 == 13 }, "nothing was lost, so the test proves nothing")
    }

    @Test func aCommitWhoseAnswerIsLostHasAnUnknownOutcomeAndMayBeStored() async throws {
        var faults = SimulatedFaults.none
        faults.storeLoss = 0.3
        let outcomes = Notes<String>()
        await Simulation.explore(seeds: 0..<40, entities: Bank.entities, faults: faults) { world in
            let writer = try await world.start("writer", content: { node in node.store })[0]
            for number in 0..<10 {
                let id = "\(number)"
                let result = try await writer.request { store in
                    do {
                        try await Self.insert(id, store, .durable)
                        return "stored"
                    } catch let error as StoreError {
                        return "\(error.code)"
                    }
                }
                let isStored = try await EntityContext(world.store).find(BankAccount.self, id: id) != nil
                outcomes.add("\(result) \(isStored)")
                if result == "stored" { world.expect(isStored, "an acknowledged commit isn't stored") }
                if result == "unreachable" { world.expect(!isStored, "it says that nothing was stored") }
            }
        }
        #expect(Set(outcomes.values) == ["stored true", "unreachable false", "outcomeUnknown true"])
    }

    private static func insert(_ id: String, _ store: any DeliveryStore, _ durability: Durability) async throws {
        let unit = UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(store, durability: durability))
        try await unit.execute { context in context.insert(BankAccount(id: id, cents: 0)) }
    }
}
#endif
