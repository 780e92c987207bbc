// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceTesting
import Testing

private final class Reservation: StoredEntity {
    static let entityName = "reservation"
    let id: String
    let expiry: Date
    var raisedEvents = RaisedEvents()

    init(seat: String, expiry: Date) {
        id = seat
        self.expiry = expiry
    }
}

private struct ReserveSeat: CQDCommand {
    let seat: String
}

private final class ReserveSeatHandler: HandlesCommand, Resolvable {
    private let unitOfWork: UnitOfWork<EntityContext>

    init(scope: any DependencyResolutionScope) {
        unitOfWork = scope.resolve()
    }

    func handle(_ command: ReserveSeat) async throws {
        try await unitOfWork.execute { context in
            let expiry = SystemValues.current.date().addingTimeInterval(15 * 60)
            context.insert(Reservation(seat: command.seat, expiry: expiry))
            try context.schedule(ExpireReservation(seat: command.seat), after: .seconds(15 * 60))
        }
    }
}

private struct ExpireReservation: CQDCommand, DurableCommand {
    static let commandName = "expire-reservation"
    let seat: String
}

private final class ExpireReservationHandler: HandlesCommand, Resolvable {
    private let unitOfWork: UnitOfWork<EntityContext>

    init(scope: any DependencyResolutionScope) {
        unitOfWork = scope.resolve()
    }

    func handle(_ command: ExpireReservation) async throws {
        try await unitOfWork.execute { context in
            guard let reservation = try await context.find(Reservation.self, id: command.seat) else { return }
            #expect(SystemValues.current.date() == reservation.expiry)
            context.delete(reservation)
        }
    }
}

private struct IsReserved: CQDQuery {
    typealias Value = Bool
    let seat: String
}

private final class IsReservedHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    func handle(_ query: IsReserved) async throws -> Bool {
        try await context.find(Reservation.self, id: query.seat) != nil
    }
}

@Suite(.timeLimit(.minutes(1))) struct ValuesUnderControlExamples {
    private let container: Container

    private var dispatcher: any CommandQueryDispatcher { container.resolve() }

    init() throws {
        let builder = ContainerBuilder()
        builder.domain(store: try InMemoryStore(entities: [Reservation.self]))
        builder.commandQueryDispatch().standard(
            commandHandlers: [ReserveSeatHandler.self, ExpireReservationHandler.self],
            queryHandlers: [IsReservedHandler.self]
        )
        builder.transient { SystemValues.current }
        container = builder.build()
    }

    @Test func aReservationExpiresAfterFifteenMinutes() async throws {
        try await TestRelay.run(container.resolve()) { relay in
            try await dispatcher.dispatch(ReserveSeat(seat: "A1"))
            try await relay.advance(by: .seconds(15 * 60 - 1))
            #expect(try await dispatcher.dispatch(IsReserved(seat: "A1")))
            try await relay.advance(by: .seconds(1))
            #expect(try await !dispatcher.dispatch(IsReserved(seat: "A1")))
        }
    }

    @Test func theSameReservationInOneStep() async throws {
        try await TestRelay.run(container.resolve()) { relay in
            try await dispatcher.dispatch(ReserveSeat(seat: "A1"))
            try await relay.advance(by: .seconds(15 * 60))
            #expect(try await !dispatcher.dispatch(IsReserved(seat: "A1")))
        }
    }

    @Test func aDieIsThrownWithTheRandomNumbersOfTheTest() {
        SystemValues.withCurrent(.test()) {
            var generator = SystemValues.current.randomNumbers
            let eyes = Int.random(in: 1...6, using: &generator)

            #expect((1...6).contains(eyes))
        }
    }

    @Test func theValuesAreInjected() {
        SystemValues.withCurrent(.test()) {
            #expect(container.resolve(SystemValues.self).date() == Date(timeIntervalSinceReferenceDate: 0))
        }
    }
}
