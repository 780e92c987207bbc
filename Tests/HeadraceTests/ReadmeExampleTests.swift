// SPDX-License-Identifier: Apache-2.0

#if Macros
import Headrace
import HeadraceTesting
import Testing

// The example of the README, with the same text.

@DomainEntity
private final class Seat: StoredEntity {
    static let entityName = "seat"
    let id: String
    private(set) var guest: String?
    init(id: String) { self.id = id }

    func reserve(for guest: String) {
        self.guest = guest
        raiseEvent(SeatReserved(seat: id, guest: guest))
    }
}

private struct SeatReserved: DurableDomainEvent {
    static let eventName = "seat-reserved"
    var seat: String
    var guest: String
}

private struct ReserveSeat: CQDCommand {
    let seat: String
    let guest: String
}

@Resolvable
private final class ReserveSeatHandler: HandlesCommand {
    private let unitOfWork: UnitOfWork<EntityContext>

    func handle(_ command: ReserveSeat) async throws {
        try await unitOfWork.execute { context in  // stores the seat and its event, or nothing
            try await context.find(Seat.self, id: command.seat)?.reserve(for: command.guest)
        }
    }
}

@Resolvable
private final class SendTicket: HandlesDurableDomainEvent {
    static let subscriptionName = "tickets"

    func handle(_ event: SeatReserved) async throws {  // at least once, even after kill -9
        print("A ticket for \(event.guest): seat \(event.seat)")
    }
}

@Suite struct ReadmeExampleTests {
    @Test func theReadmeExampleStoresASeatAndDeliversItsEvent() async throws {
        let store = try InMemoryStore(entities: [Seat.self])
        let builder = ContainerBuilder()
        builder.domain(store: store, handlers: [SendTicket.self])
        builder.commandQueryDispatch().standard(commandHandlers: [ReserveSeatHandler.self])
        try builder.validate(.strict)
        let container = builder.build()
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        try await container.resolve(UnitOfWork<EntityContext>.self).execute { $0.insert(Seat(id: "A1")) }

        try await dispatcher.dispatch(ReserveSeat(seat: "A1", guest: "Ada"))

        #expect(try await EntityContext(store).find(Seat.self, id: "A1")?.guest == "Ada")
        #expect(try await store.events(after: 0, limit: 10).map(\.event.name) == ["seat-reserved"])
        #expect(try await store.deliveryStatistics().pendingCount == 1)
        try await TestRelay.run(container.resolve()) { try await $0.untilIdle() }
        #expect(try await store.deliveryStatistics().pendingCount == 0)
    }
}
#endif
