// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceProcesses
import HeadraceTesting
import Synchronization
import Testing

@testable import seats

@Suite(.timeLimit(.minutes(1))) struct SeatsTests {
    private let container: Container
    private let dispatcher: any CommandQueryDispatcher
    private let outbox = Outbox()

    init() throws {
        container = try makeContainer(
            store: InMemoryStore(entities: entities),
            mailer: Mailer { [outbox] in outbox.add($0) }
        )
        dispatcher = container.resolve()
    }

    @Test func aTakenSeatIsRefused() async throws {
        let reservation = try await dispatcher.dispatch(ReserveSeat(seat: 7, guest: "Ada"))

        #expect(reservation.guest == "Ada")
        await #expect(throws: SeatRefusal(reason: "Seat 7 is taken by Ada.")) {
            try await dispatcher.dispatch(ReserveSeat(seat: 7, guest: "Bea"))
        }
    }

    @Test func aRepeatedRequestTakesEffectOnce() async throws {
        var reservations: [Reservation] = []
        for _ in 1...2 {
            try await IdempotencyMiddleware.withKey("request 1") {
                reservations.append(try await dispatcher.dispatch(ReserveSeat(seat: 7, guest: "Ada")))
            }
        }

        #expect(Set(reservations.map(\.expiry)).count == 1)
        #expect(try await dispatcher.dispatch(GetSeats()).map(\.guest) == ["Ada"])
    }

    @Test func aConfirmedSeatIsAnnouncedByMail() async throws {
        try await TestRelay.run(container.resolve()) { relay in
            _ = try await dispatcher.dispatch(ReserveSeat(seat: 7, guest: "Ada"))
            try await dispatcher.dispatch(ConfirmSeat(seat: 7, guest: "Ada"))
            try await relay.untilIdle()

            #expect(outbox.mails == ["Seat 7 is yours, Ada."])
        }
    }

    @Test func aReservationExpiresAfter15Minutes() async throws {
        try await TestRelay.run(container.resolve()) { relay in
            _ = try await dispatcher.dispatch(ReserveSeat(seat: 7, guest: "Ada"))
            try await relay.advance(by: .seconds(15 * 60))

            #expect(try await dispatcher.dispatch(GetSeats()).map(\.guest) == [nil])
        }
    }

    @Test func aConfirmedSeatDoesNotExpire() async throws {
        try await TestRelay.run(container.resolve()) { relay in
            _ = try await dispatcher.dispatch(ReserveSeat(seat: 7, guest: "Ada"))
            try await dispatcher.dispatch(ConfirmSeat(seat: 7, guest: "Ada"))
            try await relay.advance(by: .seconds(16 * 60))

            #expect(try await dispatcher.dispatch(GetSeats()).map(\.guest) == ["Ada"])
        }
    }

    @Test func theSummaryIsMailedEveryEvening() async throws {
        try await TestRelay.run(container.resolve()) { relay in
            try await relay.advance(by: .seconds(2 * 86_400))

            #expect(outbox.mails.count == 2)
            #expect(outbox.mails.allSatisfy { $0.hasSuffix(": 0 confirmed") })
            #expect(try await dispatcher.dispatch(ListSchedules()).map(\.name) == ["evening-summary"])
        }
    }
}

/// Keeps the mails that were sent.
private final class Outbox: Sendable {
    private let sent = Mutex<[String]>([])

    var mails: [String] { sent.withLock { $0 } }

    func add(_ mail: String) { sent.withLock { $0.append(mail) } }
}
