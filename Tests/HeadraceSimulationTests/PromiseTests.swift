// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceSimulation
import HeadraceStorage
import HeadraceTesting
import Testing

/// Each simulation has a planted mistake, which the checks that are always on must find.
@Suite(.timeLimit(.minutes(2))) struct PromiseTests {
    @Test func aLostCommitThatWasAcknowledgedIsFound() async {
        let reason = await Self.reason { world in
            let server = try await Self.startServer(world)
            try await Self.transfer("1", on: server)
            let earlier = world.store.contents
            try await Self.transfer("2", on: server)
            world.store.restore(earlier)
        }
        #expect(
            reason?.contains("of 'server' at position 2, which was acknowledged, is lost") == true, "\(reason ?? "")")
    }

    @Test func aCommandThatTakesEffectTwiceIsFound() async {
        let reason = await Self.reason { world in
            let server = try await Self.startServer(world)
            try await Self.transfer("1", on: server)
            _ = try await world.store.prune(PruneRequest(idempotencyRecordsBefore: .distantFuture))
            try await Self.transfer("1", on: server)
        }
        #expect(
            reason?.contains("The command with the idempotency key '1' has taken effect twice") == true,
            "\(reason ?? "")")
    }

    @Test func anAcknowledgementOfAnUnhandledEventIsFound() async {
        let reason = await Self.reason { world in
            let server = try await Self.startServer(world, FaultyStore.Mistake.acknowledgesTheNext)
            for number in 1...6 { try await Self.transfer("\(number)", on: server) }
            try await world.eventuallyFinishes()
        }
        #expect(reason?.contains("for 'mail' of account 'a', which no handler has handled") == true, "\(reason ?? "")")
    }

    @Test func aSettlementThatSkipsAnEarlierEventIsFound() async {
        let reason = await Self.reason { world in
            let server = try await Self.startServer(world, FaultyStore.Mistake.losesTheSecondAcknowledgement)
            try await Self.transfer("1", on: server)
            try await world.clock.sleep(for: .seconds(1))
            // The next events wait, so that one lease covers them.
            let date = SystemValues.current.date()
            _ = try await server.request { try await $0.resolve((any DeliveryStore).self).pause("mail", at: date) }
            for number in 2...4 { try await Self.transfer("\(number)", on: server) }
            _ = try await server.request { try await $0.resolve((any DeliveryStore).self).resume("mail") }
            try await world.eventuallyFinishes()
        }
        #expect(reason?.contains("'server' has acknowledged the event at position") == true, "\(reason ?? "")")
        #expect(reason?.contains("for 'mail' of account 'a', but the event at position 2 is pending") == true)
    }

    @Test func aHandlerThatRunsBeforeThatOfAnEarlierEventIsFound() async {
        let reason = await Self.reason { world in
            let server = try await Self.startServer(world, FaultyStore.Mistake.leasesInReverse)
            try await world.clients(1) { _ in
                for number in 1...6 { try await Self.transfer("\(number)", on: server) }
            }
            try await world.eventuallyFinishes()
        }
        #expect(reason?.contains("'server' has handled the event at position") == true, "\(reason ?? "")")
        #expect(reason?.contains("for 'mail' of account 'a' before the event at position") == true)
    }

    @Test func aDeliveryThatDisappearsIsFound() async {
        let reason = await Self.reason { world in
            let server = try await Self.startServer(world, isMailerDown: true)
            try await Self.transfer("1", on: server)
            let pending = try await world.store.pendingDeliveries(PendingDeliveryRequest(now: .distantFuture))
            _ = try await world.store.cancelDeliveries(pending.map(\.id), reason: "mistake", now: .distantFuture)
            let letters = try await world.store.deadLetters(after: 0, of: nil, limit: 1)
            _ = try await world.store.discardDeadLetters(letters.map(\.id))
        }
        #expect(
            reason?.contains("The delivery of the event at position 1 to 'mail' is lost") == true, "\(reason ?? "")")
    }

    @Test func replaysAndCancellationsOfAnOperatorAreNoViolations() async {
        let (summary, failure) = await Simulation.search(seeds: 0..<20, entities: Bank.entities) { world in
            let servers = try await Self.startServers(world, count: 2)
            try await world.clients(2) { client in
                for number in 1...5 {
                    try? await Self.transfer("\(client)-\(number)", on: world.any(of: servers))
                    try? await world.any(of: servers).request { container in
                        try await Self.operate(container.resolve((any DeliveryStore).self), replays: number == 4)
                    }
                }
            }
            try await world.eventuallyFinishes(allowing: [.deadLetters])
        }
        #expect(failure == nil, "\(failure.map(String.init(describing:)) ?? "") \(summary)")
    }

    /// Cancels what waits, replays the dead letters, and replays the log.
    private static func operate(_ store: any DeliveryStore, replays: Bool) async throws {
        let now = SystemValues.current.date()
        let pending = try await store.pendingDeliveries(PendingDeliveryRequest(limit: 1, now: now))
        _ = try await store.cancelDeliveries(pending.map(\.id), reason: "operator", now: now)
        let letters = try await store.deadLetters(after: 0, of: nil, limit: 10).map(\.id)
        _ = try await store.replayDeadLetters(letters.filter { $0 % 2 == 0 })
        _ = try await store.discardDeadLetters(letters.filter { $0 % 2 == 1 })
        if replays { _ = try await store.replay("mail", eventsNamed: [Transferred.eventName], after: 0) }
    }

    // MARK: Helpers

    /// Runs one seed without faults, and returns the first reason of its failure.
    private static func reason(_ body: @escaping @Sendable (SimulatedWorld) async throws -> Void) async -> String? {
        let (_, failure) = await Simulation.search(
            seeds: 0..<1, entities: Bank.entities, faults: .none, body)
        return failure?.reasons.first
    }

    private static func startServer(
        _ world: SimulatedWorld, _ mistake: FaultyStore.Mistake? = nil, isMailerDown: Bool = false
    ) async throws -> SimulatedNode<Container> {
        try await startServers(world, count: 1, mistake, isMailerDown: isMailerDown)[0]
    }

    private static func startServers(
        _ world: SimulatedWorld, count: Int, _ mistake: FaultyStore.Mistake? = nil, isMailerDown: Bool = false
    ) async throws -> [SimulatedNode<Container>] {
        let mailer = world.service("mailer")
        try await UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(world.store)).execute { context in
            for id in ["a", "b"] { context.insert(BankAccount(id: id, cents: 1_000)) }
        }
        return try await world.start("server", count: count) { node in
            let store: any DeliveryStore = mistake.map { FaultyStore(node.store, $0) } ?? node.store
            let double: any BankMailer = isMailerDown ? BrokenMailer() : SimulatedBankMailer(service: mailer)
            return Bank.makeContainer(store: store, mailer: double)
        }
    }

    private static func transfer(_ id: String, on server: SimulatedNode<Container>) async throws {
        try await server.request { container in
            let command = Transfer(id: id, from: "a", to: "b", cents: 1)
            try await container.resolve((any CommandQueryDispatcher).self).dispatch(command)
        }
    }
}

/// Never sends a mail.
struct BrokenMailer: BankMailer {
    struct Down: Error {}

    func send(_ text: String, key: String) async throws { throw Down() }
}
#endif
