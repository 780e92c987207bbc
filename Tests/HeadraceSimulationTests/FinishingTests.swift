// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceProcesses
import HeadraceProjections
import HeadraceRelay
import HeadraceResolution
import HeadraceSimulation
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

/// The sum that an account has received, for a projection.
private struct Received: ProjectionRow {
    let id: String
    var cents = 0
}

/// Waits for a time-out after a transfer.
private struct Observation: DurableProcess {
    static let processName = "observation"
    static let commands: [any DurableCommand.Type] = []

    enum Step: String, Codable { case watching }
    enum Timeout: String, CaseIterable { case end }

    let transfer: String
    var step = Step.watching

    init(key transfer: String) { self.transfer = transfer }

    static let reactions: [ProcessReaction<Observation>] = [
        .start(on: Transferred.self, by: \.id) { process, _, context in
            if process.transfer != "endless" { context.setTimeout(.end, after: .seconds(20)) }
        },
        .onTimeout(.end) { _, context in context.end() },
    ]
}

@Suite(.timeLimit(.minutes(2))) struct FinishingTests {
    private static let entities: [any StoredEntity.Type] =
        Bank.entities + Projections.entities + [StoredProcess.self]

    @Test func workThatIsFinishedIsNoViolation() async {
        let summary = await Simulation.explore(seeds: 0..<8, entities: Self.entities) { world in
            let servers = try await Self.startServers(world, count: 3)
            try await world.clients(5) { client in
                for number in 1...3 {
                    try? await Self.transfer("\(client)-\(number)", on: world.any(of: servers))
                }
            }
            try await world.eventuallyFinishes()
            let running = try await EntityContext(world.store).fetch(StoredProcess.self).filter { $0.endedAt == nil }
            world.expect(running.isEmpty, "\(running.map(\.id)) are running")
        }
        #expect(summary.runCount == 8, "\(summary)")
    }

    @Test func aDeliveryThatIsStuckIsNamedWithItsFailure() async {
        let reason = await Self.reason { world in
            let server = try await Self.startServers(world, mailer: BrokenMailer())[0]
            try await Self.transfer("1", on: server)
            try await world.eventuallyFinishes(within: .seconds(60))
        }
        let text =
            "There are pending deliveries: the event 'transferred' of account 'a' at position 1 for 'mail', which is retrying"
        #expect(reason?.contains("After 60.000 s without faults: \(text)") == true, "\(reason ?? "")")
        #expect(reason?.contains("Down()") == true)
    }

    @Test func aPausedSubscriptionIsNamed() async {
        let reason = await Self.reason { world in
            let server = try await Self.startServers(world)[0]
            try await Self.transfer("1", on: server)
            try await world.clock.sleep(for: .seconds(1))
            try await server.request { container in
                let store = container.resolve((any DeliveryStore).self)
                _ = try await store.pause("mail", at: SystemValues.current.date())
            }
            try await Self.transfer("2", on: server)
            try await world.eventuallyFinishes(within: .seconds(60))
        }
        #expect(reason?.contains("position 2 for 'mail', which is paused") == true, "\(reason ?? "")")
    }

    @Test(arguments: [[], [UnfinishedWork.deadLetters]]) func aDeadLetterIsAViolationUnlessItIsAllowed(
        _ allowed: Set<UnfinishedWork>
    ) async {
        let reason = await Self.reason { world in
            let server = try await Self.startServers(world, mailer: BrokenMailer(), maximumAttempts: 2)[0]
            try await Self.transfer("1", on: server)
            try await world.clock.sleep(for: .seconds(10))
            try await world.eventuallyFinishes(allowing: allowed)
        }
        if allowed.isEmpty {
            let text =
                "There are dead letters: the event 'transferred' of account 'a' at position 1 for 'mail' after 2 attempts"
            #expect(reason?.contains(text) == true, "\(reason ?? "")")
        } else {
            #expect(reason == nil)
        }
    }

    @Test(arguments: [[], [UnfinishedWork.runningProcesses]]) func aProcessThatNeverEndsIsAViolationUnlessItIsAllowed(
        _ allowed: Set<UnfinishedWork>
    ) async {
        let reason = await Self.reason { world in
            let server = try await Self.startServers(world)[0]
            try await Self.transfer("endless", on: server)
            try await world.eventuallyFinishes(within: .seconds(60), allowing: allowed)
        }
        if allowed.isEmpty {
            let text = "There are running processes: 'observation/endless' in the step 'watching'"
            #expect(reason?.contains(text) == true, "\(reason ?? "")")
        } else {
            #expect(reason == nil)
        }
    }

    @Test func aProcessThatReactsAfterItsEndIsFound() async {
        let reason = await Self.reason { world in
            let server = try await Self.startServers(world)[0]
            try await Self.transfer("1", on: server)
            try await world.eventuallyFinishes()
            try await server.request { container in
                let store = container.resolve((any DeliveryStore).self)
                let id = EntityReference(kind: StoredProcess.entityName, key: "observation/1")
                guard let stored = try await store.find(id) else { return }
                let text = String(decoding: stored.json, as: UTF8.self)
                let json = Data(text.replacing("\"handledCount\":2", with: "\"handledCount\":3").utf8)
                let changed = StoredDocument(
                    reference: id, version: stored.version + 1, schemaVersion: stored.schemaVersion, json: json)
                try await store.commit(ChangeSet(writes: [ChangeSet.Write(document: changed)]))
            }
        }
        #expect(
            reason?.contains("The process 'observation/1' has reacted on 'server' after its end") == true,
            "\(reason ?? "")")
    }

    @Test func aRowThatTheLogDoesNotGiveIsFound() async {
        let reason = await Self.reason { world in
            let server = try await Self.startServers(world, isRepeated: true)[0]
            try await Self.transfer("1", on: server)
            try await world.eventuallyFinishes()
        }
        let text = #"'b' of 'received/1' is {"cents":2,"id":"b"}; the log gives {"cents":1,"id":"b"}"#
        #expect(reason?.contains("There are rows that differ from the log: \(text)") == true, "\(reason ?? "")")
    }

    // MARK: Helpers

    /// Runs one seed without faults, and returns the first reason of its failure.
    private static func reason(_ body: @escaping @Sendable (SimulatedWorld) async throws -> Void) async -> String? {
        let (_, failure) = await Simulation.search(seeds: 0..<1, entities: entities, faults: .none, body)
        return failure?.reasons.first
    }

    /// `isRepeated` is whether the projection counts its first event twice, as after an event that was applied twice.
    private static func startServers(
        _ world: SimulatedWorld,
        count: Int = 1,
        mailer: (any BankMailer)? = nil,
        maximumAttempts: Int = 26,
        isRepeated: Bool = false
    ) async throws -> [SimulatedNode<Container>] {
        try await UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(world.store)).execute { context in
            for id in ["a", "b"] { context.insert(BankAccount(id: id, cents: 1_000)) }
        }
        let mailer = mailer ?? SimulatedBankMailer(service: world.service("mailer"))
        let repetitions = Repetitions(count: isRepeated ? 1 : 0)
        let projection = Projection<Received>("received", version: 1).applying(Transferred.self) { event, rows in
            try await rows.update(event.to, orInsert: Received(id: event.to)) { row in
                row.cents += repetitions.take() ? 2 * event.cents : event.cents
            }
        }
        return try await world.start("server", count: count) { node in
            let builder = ContainerBuilder()
            builder.singleton((any BankMailer).self) { mailer }
            var relay = Relay.Configuration()
            relay.maximumAttempts = maximumAttempts
            builder.domain(
                store: node.store, handlers: [SendMail.self], processes: [Observation.self], relay: relay)
            builder.projections(projection, on: node.store)
            builder.commandQueryDispatch().standard(
                commandHandlers: [TransferHandler.self],
                middleware: [RetryMiddleware()],
                resolvedMiddleware: [IdempotencyMiddleware.self]
            )
            return builder.build()
        }
    }

    private static func transfer(_ id: String, on server: SimulatedNode<Container>) async throws {
        try await server.request { container in
            let command = Transfer(id: id, from: "a", to: "b", cents: 1)
            try await container.resolve((any CommandQueryDispatcher).self).dispatch(command)
        }
    }
}

/// A number of repetitions that are left.
private final class Repetitions: Sendable {
    private let count: Mutex<Int>

    init(count: Int) { self.count = Mutex(count) }

    /// Returns whether a repetition was left, and takes it.
    func take() -> Bool {
        count.withLock { count in
            defer { count = max(0, count - 1) }
            return count > 0
        }
    }
}
#endif
