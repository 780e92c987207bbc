//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Headrace
import HeadraceInspector
import HeadraceTesting
import Testing

@testable import seats

@Suite(.timeLimit(.minutes(1))) struct SeatsTests {
    private let clock = TestClock()
    private let container: Container
    private let dispatcher: any CommandQueryDispatcher
    private let mail: AsyncStream<String>

    init() throws {
        let (mail, sent) = AsyncStream<String>.makeStream()
        self.mail = mail
        container = try makeContainer(
            store: InMemoryStore(entities: [Seat.self]),
            mailer: Mailer { sent.yield($0) },
            clock: clock,
            today: Today { [clock] in clock.date }
        )
        dispatcher = container.resolve()
    }

    @Test func aTakenSeatIsRefused() async throws {
        try await dispatcher.dispatch(ReserveSeat(seat: 7, guest: "Ada"))

        await #expect(throws: SeatRefusal(reason: "Seat 7 is taken by Ada.")) {
            try await dispatcher.dispatch(ReserveSeat(seat: 7, guest: "Bea"))
        }
    }

    @Test func aRepeatedRequestTakesEffectOnce() async throws {
        for _ in 1...2 {
            try await IdempotencyMiddleware.withKey("request 1") {
                try await dispatcher.dispatch(ReserveSeat(seat: 7, guest: "Ada"))
            }
        }

        #expect(try await dispatcher.dispatch(GetSeats()).map(\.guest) == ["Ada"])
    }

    @Test func aConfirmedSeatIsAnnouncedByMail() async throws {
        let relay: Relay = container.resolve()
        async let running: Void = relay.run()

        try await dispatcher.dispatch(ReserveSeat(seat: 7, guest: "Ada"))
        try await dispatcher.dispatch(ConfirmSeat(seat: 7, guest: "Ada"))

        #expect(await mail.first { _ in true } == "Seat 7 is yours, Ada.")
        relay.shutDown()
        try await running
    }

    @Test func aReservationExpiresAfter15Minutes() async throws {
        try await dispatcher.dispatch(ReserveSeat(seat: 7, guest: "Ada"))
        let reserved = clock.date
        let relay: Relay = container.resolve()
        async let running: Void = relay.run()

        while try await dispatcher.dispatch(GetSeats()) == [SeatState(seat: 7, guest: "Ada", isConfirmed: false)] {
            await clock.waitForSleepers(2)  // The relay waits for the next check, and for the next clean-up.
            clock.advance(by: .seconds(1))
        }

        #expect(clock.date.timeIntervalSince(reserved) >= 15 * 60)
        try await dispatcher.dispatch(ReserveSeat(seat: 7, guest: "Bea"))
        relay.shutDown()
        try await running
    }

    @Test func aConfirmedSeatDoesNotExpire() async throws {
        try await dispatcher.dispatch(ReserveSeat(seat: 7, guest: "Ada"))
        try await dispatcher.dispatch(ConfirmSeat(seat: 7, guest: "Ada"))
        clock.advance(by: .seconds(16 * 60))
        let relay: Relay = container.resolve()
        async let running: Void = relay.run()

        // The relay delivers the confirmation, so it has seen everything that is due.
        _ = await mail.first { _ in true }

        #expect(try await dispatcher.dispatch(GetSeats()).map(\.guest) == ["Ada"])
        relay.shutDown()
        try await running
    }
}
