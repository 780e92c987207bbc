// SPDX-License-Identifier: Apache-2.0

#if Simulations
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceResolution
import HeadraceSimulation
import HeadraceStorage
import HeadraceTesting
import Testing

@Suite struct BankTests {
    @Test func aCorrectBankSurvivesAllFaults() async {
        let summary = await Simulation.explore(seeds: 0..<50, entities: Bank.entities) { world in
            try await Self.simulate(world)
        }
        #expect(summary.faultCounts.count == 9, "\(summary)")
    }

    static func simulate(_ world: SimulatedWorld) async throws {
        let mailer = world.service("mailer")
        try await UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(world.store)).execute { context in
            for id in ["a", "b", "c"] { context.insert(BankAccount(id: id, cents: 1_000)) }
        }
        world.always("the sum stays") { store in
            try await EntityContext(store).fetch(BankAccount.self).map(\.cents).reduce(0, +) == 3_000
        }
        let servers = try await world.start("server", count: 3) { node in
            Bank.makeContainer(store: node.store, mailer: SimulatedBankMailer(service: mailer))
        }
        let acknowledged = Notes<String>()
        let spent = Notes<Int>()
        try await world.clients(10) { number in
            for round in 1...4 {
                let transfer = Transfer(
                    id: "\(number)-\(round)", from: "a", to: round % 2 == 0 ? "b" : "c", cents: number)
                while true {
                    do {
                        try await world.any(of: servers).request { container in
                            try await container.resolve((any CommandQueryDispatcher).self).dispatch(transfer)
                        }
                        acknowledged.add(transfer.id)
                        spent.add(number)
                        break
                    } catch {
                        try await world.clock.sleep(for: .milliseconds(500))
                    }
                }
            }
        }
        try await world.eventuallyFinishes()
        let total = try await EntityContext(world.store).find(BankAccount.self, id: "a")?.cents
        world.expect(total == 1_000 - spent.values.reduce(0, +), "'a' has \(total ?? 0)")
        world.expectOnce(mailer)
        let mails = Set(mailer.effects.compactMap(\.key))
        world.expect(mails == Set(acknowledged.values), "mails \(mails.sorted()) for \(acknowledged.values.sorted())")
    }
}

#endif
