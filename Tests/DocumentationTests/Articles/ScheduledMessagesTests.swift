// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceCommands
import HeadraceDomain
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Testing

private final class Seat: StoredEntity {
    static let entityName = "seat"

    let id: String
    var guest: String?
    var expiry: UUID?
    var raisedEvents = RaisedEvents()

    init(_ id: String) {
        self.id = id
    }
}

private struct ReleaseSeat: CQDCommand, DurableCommand {
    static let commandName = "release-seat"
    let seat: String
}

/// The command before it had a property.
private struct ReleaseAllSeats: DurableCommand {
    static let commandName = "release-seat"
}

private enum SecondVersion {
    struct ReleaseSeat: CQDCommand, DurableCommand {
        static let commandName = "release-seat"
        static let commandVersion = 2
        static let commandMigrations = [
            JSONMigration(from: 1) { command in command["hall"] = .string("main") }
        ]
        let seat: String
        let hall: String
    }
}

private final class ReleaseSeatHandler: HandlesCommand, Resolvable {
    private let seats: UnitOfWork<EntityContext>

    init(scope: any DependencyResolutionScope) {
        seats = scope.resolve()
    }

    func handle(_ command: ReleaseSeat) async throws {
        try await seats.execute { try await $0.find(Seat.self, id: command.seat)?.guest = nil }
    }
}

private func hold(
    _ id: String,
    for guest: String,
    in unitOfWork: UnitOfWork<EntityContext>
) async throws {
    try await unitOfWork.execute { context in
        guard let seat = try await context.find(Seat.self, id: id) else { return }
        seat.guest = guest
        seat.expiry = try context.schedule(ReleaseSeat(seat: id), after: .seconds(15 * 60))
    }
}

private func pay(_ id: String, in unitOfWork: UnitOfWork<EntityContext>) async throws {
    try await unitOfWork.execute { context in
        guard let expiry = try await context.find(Seat.self, id: id)?.expiry else { return }
        context.cancelScheduled(expiry)
    }
}

@Suite(.timeLimit(.minutes(2))) struct ScheduledMessagesTests {
    private let store: InMemoryStore
    private let builder = ContainerBuilder()
    private let time = VirtualTime()
    private let journal = DeliveryJournal()

    init() throws {
        store = try InMemoryStore(entities: [Seat.self])
    }

    private func makeContainer() throws -> Container {
        builder.domain(store: store)
        builder.commandQueryDispatch().standard(commandHandlers: [ReleaseSeatHandler.self])
        try builder.validate()
        return builder.build()
    }

    private func unitOfWork() -> UnitOfWork<EntityContext> {
        UnitOfWork(
            delegator: DomainEventHandlerRegistrar(resolver: ServiceLocator()),
            context: EntityContext(store)
        )
    }

    private func insertSeats(_ ids: String...) async throws {
        try await unitOfWork().execute { context in
            for id in ids { context.insert(Seat(id)) }
        }
    }

    private func guest(_ id: String) async throws -> String? {
        try await EntityContext(store).find(Seat.self, id: id)?.guest
    }

    @Test func anUnpaidSeatIsReleasedAfterFifteenMinutesAndAPaidSeatIsNot() async throws {
        let container = try makeContainer()
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        let (clock, date, registrar) = (time.clock, time.date, DomainEventHandlerRegistrar(resolver: container))
        try await insertSeats("1A", "1B")
        try await hold("1A", for: "Ada", in: unitOfWork())
        try await hold("1B", for: "Bea", in: unitOfWork())
        try await pay("1B", in: unitOfWork())

        let relay = Relay(
            store: store,
            registrar: registrar,
            relayObservers: [journal],
            clock: clock,
            wallClock: date
        )
        relay.carryOut(ReleaseSeat.self) { try await dispatcher.dispatch($0) }
        try await withRelay(relay) {
            await clock.waitForSleepers(2)
            let guestBefore = try await guest("1A")
            #expect(guestBefore == "Ada")
            clock.advance(by: .seconds(20 * 60))
            await journal.wait("delivered")
        }

        #expect(try await guest("1A") == nil)
        #expect(try await guest("1B") == "Bea")
        #expect(try await store.deliveryStatistics().pendingCount == 0)
    }

    @Test func theRelayOfAContainerCarriesOutACommandThatIsDue() async throws {
        let container = try makeContainer()
        try await insertSeats("1A")
        try await unitOfWork().execute { context in
            try await context.find(Seat.self, id: "1A")?.guest = "Ada"
            try context.schedule(ReleaseSeat(seat: "1A"), at: Date(timeIntervalSince1970: 0))
        }
        var guests = store.observe { try await $0.find(Seat.self, id: "1A")?.guest }.makeAsyncIterator()
        #expect(try await guests.next() == "Ada")

        let relay: Relay = container.resolve()
        let running = Task { try await relay.run() }

        #expect(try await guests.next() == .some(nil))
        relay.shutDown()
        try await running.value
    }

    @Test func aCommandThatDoesNotDecodeIsADeadLetterAtOnce() async throws {
        try await unitOfWork().execute { context in
            _ = try context.schedule(ReleaseAllSeats(), at: Date(timeIntervalSince1970: 0))
        }
        let relay = Relay(
            store: store,
            registrar: DomainEventHandlerRegistrar(resolver: ServiceLocator()),
            configuration: .withLongLeases,
            relayObservers: [journal]
        )
        relay.carryOut(ReleaseSeat.self) { _ in }

        try await withRelay(relay) { await journal.wait("dead letter") }

        #expect(journal.all == ["dead letter of \(ScheduledMessage.subscription)"])
    }

    @Test func aUnitOfWorkThatFailsSchedulesNothing() async throws {
        struct Refusal: Error {}

        await #expect(throws: Refusal.self) {
            try await unitOfWork().execute { context in
                try context.schedule(ReleaseSeat(seat: "1A"), after: .seconds(1))
                throw Refusal()
            }
        }

        #expect(try await store.deliveryStatistics().pendingCount == 0)
    }
}
