// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceProcesses
import HeadraceResolution
import HeadraceSimulation
import HeadraceStorage
import HeadraceTesting
import HeadraceWorkflows
import Testing

/// A payment in parts, at most two at a time: it takes the money, mails, waits, and gives the money to two accounts.
private struct Payout: DurableWorkflow {
    static let workflowName = "payout"

    let number: Int

    var concurrency: WorkflowConcurrency? { .atMost(2) }

    func run(_ flow: WorkflowContext) async throws -> Int {
        let cents = try await flow.transaction("take") { context in try await context.add(-10, to: "a") }
        let number = number
        try await flow.step("mail") { step in
            do {
                try await step.resolve((any BankMailer).self)
                    .send("payout \(number)", key: step.idempotencyKey.uuidString)
            } catch let error as SimulationError where error.code == .timedOut {
                // The mailer sends nothing twice with one key, so the step may be repeated.
                throw Unanswered()
            }
        }
        try await flow.sleep(for: .seconds(60))
        async let first = flow.transaction("first") { context in try await context.add(5, to: "b") }
        async let second = flow.transaction("second") { context in try await context.add(5, to: "c") }
        return try await cents + first + second
    }
}

/// A call without an answer.
///
/// It doesn't say that a repetition is useless, so steps are repeated.
private struct Unanswered: Error {}

extension EntityContext {
    fileprivate nonisolated(nonsending) func add(_ cents: Int, to id: String) async throws -> Int {
        guard let account = try await find(BankAccount.self, id: id) else { return 0 }
        account.cents += cents
        return cents
    }
}

@Suite struct WorkflowTests {
    @Test func workflowsSurviveAllFaults() async {
        let summary = await Simulation.explore(seeds: 0..<20, entities: [BankAccount.self, StoredWorkflow.self]) {
            world in
            try await Self.simulate(world)
        }
        #expect(summary.faultCounts.count >= 8, "\(summary)")
    }

    private static func simulate(_ world: SimulatedWorld) async throws {
        let mailer = world.service("mailer")
        try await UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(world.store)).execute { context in
            for id in ["a", "b", "c"] { context.insert(BankAccount(id: id, cents: 1_000)) }
        }
        let servers = try await world.start("server", count: 3) { node in
            let builder = ContainerBuilder()
            builder.singleton((any BankMailer).self) { SimulatedBankMailer(service: mailer) }
            builder.domain(store: node.store, workflows: [Payout.self])
            builder.commandQueryDispatch().standard()
            return builder.build()
        }
        world.always("at most two run") { store in
            let context = EntityContext(reading: store)
            let instances = try await context.fetch(StoredWorkflow.self)
            return instances.filter { $0.isOpen && $0.state != .queued }.count <= 2
        }
        try await world.clients(6) { number in
            while true {
                do {
                    try await world.any(of: servers).request { container in
                        _ = try await container.resolve(Workflows.self).start(Payout(number: number), id: number)
                    }
                    break
                } catch {
                    try await world.clock.sleep(for: .milliseconds(500))
                }
            }
        }
        // The faults go on until all instances should have slept.
        try await world.clock.sleep(for: .seconds(200))
        try await world.eventuallyFinishes()
        let context = EntityContext(world.store)
        let instances = try await context.fetch(StoredWorkflow.self)
        // A search for a smaller failure has fewer clients.
        let count = instances.count
        world.expect(instances.allSatisfy { $0.state == .completed }, "\(instances.map(\.state))")
        let cents = try await context.fetch(BankAccount.self).map(\.cents)
        world.expect(cents == [1_000 - 10 * count, 1_000 + 5 * count, 1_000 + 5 * count], "\(cents)")
        world.expectOnce(mailer)
        world.expect(Set(mailer.effects.compactMap(\.key)).count == count, "\(mailer.effects)")
    }
}
#endif
