// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceSimulation
import HeadraceStorage
import HeadraceTesting
import Testing

@Suite struct NodeTests {
    @Test func nothingOfAKilledNodeRunsAnyMore() async {
        await Simulation.explore(seeds: 0..<20, entities: Bank.entities, faults: .none) { world in
            let notes = Notes<String>()
            let node = try await world.start(
                "node",
                content: { (node: SimulatedNode<Int>) in
                    node.run {
                        defer { notes.add("defer") }
                        await withTaskCancellationHandler {
                            while true {
                                try? await world.clock.sleep(for: .milliseconds(10))
                                notes.add("alive")
                            }
                        } onCancel: {
                            notes.add("cancelled")
                        }
                    }
                    return 0
                })[0]
            try await world.clock.sleep(for: .seconds(1))
            node.kill()
            let count = notes.values.count
            try await world.clock.sleep(for: .seconds(60))
            world.expect(count > 50 && notes.values.count == count, "it ran after the kill: \(notes.values.suffix(3))")
            world.expect(!notes.values.contains("defer") && !notes.values.contains("cancelled"), "it was cleaned up")

            node.start()
            try await world.clock.sleep(for: .seconds(1))
            world.expect(node.isRunning && notes.values.count > count, "it has not started again")
        }
    }

    @Test func aCommitThatIsOnItsWayTakesEffectAfterTheKill() async {
        let stored = Notes<Bool>()
        await Simulation.explore(seeds: 0..<40, entities: Bank.entities, faults: .none) { world in
            let node = try await world.start("node", content: { node in node.store })[0]
            async let answer: Void? = try? node.request(timeout: .seconds(2)) { store in
                let unit = UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(store))
                try await unit.execute { $0.insert(BankAccount(id: "a", cents: 1)) }
            }
            try await world.clock.sleep(for: .milliseconds(Int(world.seed) / 4))
            node.kill()
            _ = await answer
            stored.add(try await EntityContext(world.store).find(BankAccount.self, id: "a") != nil)
        }
        #expect(Set(stored.values) == [true, false])
    }

    @Test func aPausedNodeGoesOnLaterWithTheTimeThatHasPassed() async throws {
        try await Simulation.run(seed: 3, entities: [], faults: .none) { world in
            let times = Notes<Duration>()
            let start = world.clock.now
            let nodes = try await world.start(
                "node", count: 2,
                content: { (node: SimulatedNode<Int>) in
                    node.run {
                        while true {
                            try await world.clock.sleep(for: .milliseconds(100))
                            if node.name == "node 1" { times.add(world.clock.now - start) }
                        }
                    }
                    return 0
                })
            try await world.clock.sleep(for: .seconds(1))
            nodes[0].pause(for: .seconds(10))
            try await world.clock.sleep(for: .seconds(12))
            let gaps = zip(times.values, times.values.dropFirst()).map { $1 - $0 }
            world.expect(gaps.contains { $0 > .seconds(9) }, "it was not paused")
            world.expect(times.values.last ?? .zero > .seconds(12), "it has not gone on")
        }
    }

    @Test func nodesHaveTheirOwnClocksAndUUIDs() async throws {
        var faults = SimulatedFaults.none
        faults.clockSkew = .seconds(2)
        let dates = Notes<Date>()
        let ids = Notes<UUID>()
        try await Simulation.run(seed: 3, entities: [], faults: faults) { world in
            let nodes = try await world.start("node", count: 5, content: { _ in 0 })
            for node in nodes {
                let (date, id) = try await node.request { _ in
                    (SystemValues.current.date(), SystemValues.current.uuid())
                }
                dates.add(date)
                ids.add(id)
                let difference = abs(date.timeIntervalSince(SystemValues.current.date()))
                world.expect(difference < 2.5, "the clock is wrong by \(difference) s")
            }
        }
        #expect(Set(dates.values.prefix(5)).count == 5)
        #expect(Set(ids.values.prefix(5)).count == 5)
        #expect(dates.values.prefix(5) == dates.values.suffix(5), "two runs of a seed differ")
    }

    @Test func requestsToANodeThatIsDownOrCutOffFail() async throws {
        try await Simulation.run(seed: 1, entities: [], faults: .none) { world in
            let node = try await world.start("node", content: { _ in 7 })[0]
            world.expect(try await node.request { $0 } == 7, "no answer")
            node.partition(for: .seconds(5))
            do {
                _ = try await node.request(timeout: .seconds(1)) { $0 }
                world.fail("it has answered")
            } catch let error as SimulationError {
                world.expect(error.code == .timedOut && !error.isRetryable, "\(error)")
            }
            try await world.clock.sleep(for: .seconds(5))
            world.expect(try await node.request { $0 } == 7, "no answer after the partition")
            node.kill()
            do {
                _ = try await node.request { $0 }
                world.fail("it has answered")
            } catch let error as SimulationError {
                world.expect(error.code == .refused && error.isRetryable, "\(error)")
            }
        }
    }

    @Test func aPartitionBetweenTwoNodesLeavesOthersConnected() async throws {
        try await Simulation.run(seed: 1, entities: [], faults: .none) { world in
            let back = try await world.start("back", content: { _ in 7 })[0]
            let fronts = try await world.start("front", count: 2, content: { _ in back })
            let ask: @Sendable (Int) async throws -> Int? = { number in
                try await fronts[number].request { back in try? await back.request(timeout: .seconds(1)) { $0 } }
            }
            fronts[0].partition(from: back, for: .seconds(10))
            world.expect(try await ask(0) == nil, "the partition lets messages through")
            world.expect(try await ask(1) == 7, "another node is cut off, too")
            world.expect(try await back.request { $0 } == 7, "clients are cut off, too")
            try await world.clock.sleep(for: .seconds(10))
            world.expect(try await ask(0) == 7, "no answer after the partition")
        }
    }

    @Test func anAnswerOfANodeThatIsCutOffMeanwhileIsLost() async throws {
        try await Simulation.run(seed: 1, entities: [], faults: .none) { world in
            let node = try await world.start("node", content: { _ in 7 })[0]
            async let answer = try? node.request(timeout: .seconds(5)) { number in
                try await world.clock.sleep(for: .seconds(1))
                return number
            }
            try await world.clock.sleep(for: .milliseconds(500))
            node.partition(for: .seconds(2))
            world.expect(await answer == nil, "the answer has arrived")
        }
    }

    @Test func nothingOfARunRemainsInMemory() async {
        let references = Notes<WeakReference>()
        await Simulation.explore(seeds: 3..<8, entities: Bank.entities) { world in
            references.add(WeakReference(world))
            let mailer = world.service("mailer")
            let nodes = try await world.start("server", count: 2) { node in
                let container = Bank.makeContainer(store: node.store, mailer: SimulatedBankMailer(service: mailer))
                references.add(WeakReference(container))
                return container
            }
            for _ in 1...5 {
                try await world.clock.sleep(for: .seconds(1))
                nodes[0].kill()
                nodes[0].start()
            }
            nodes[1].kill()
        }
        #expect(references.values.count > 50)
        let rest = references.values.compactMap(\.object)
        #expect(rest.isEmpty, "\(rest.count) of \(references.values.count)")
    }

    @Test func anErrorOfAServiceIsAViolation() async {
        struct Broken: Error {}
        let (_, failure) = await Simulation.search(seeds: 0..<1, entities: [], faults: .none) { world in
            _ = try await world.start(
                "node",
                content: { (node: SimulatedNode<Int>) in
                    node.run { throw Broken() }
                    return 0
                })
            try await world.clock.sleep(for: .seconds(1))
        }
        #expect(failure?.reasons.first?.contains("A service of 'node' has ended") == true)
    }
}

private struct WeakReference: Sendable {
    weak let object: (any AnyObject & Sendable)?

    init(_ object: any AnyObject & Sendable) {
        self.object = object
    }
}
#endif
