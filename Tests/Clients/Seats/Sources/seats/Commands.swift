// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace

struct ReserveSeat: CQDCommand, Codable {
    typealias Output = Reservation
    let seat: Int
    let guest: String
}

@Resolvable
final class ReserveSeatHandler: HandlesCommand {
    private let context: EntityContext

    func handle(_ command: ReserveSeat) async throws -> Reservation {
        let seat = try await context.find(Seat.self, id: command.seat) ?? Seat(id: command.seat)
        context.insert(seat)
        let (until, expiry) = (SystemValues.current.date().addingTimeInterval(15 * 60), UUID.version7())
        let reservation = Reservation(seat: seat.id, guest: command.guest, until: until, expiry: expiry)
        try seat.reserve(reservation)
        try context.schedule(ExpireReservation(seat: seat.id, expiry: expiry), at: until, id: expiry)
        return reservation
    }
}

struct ConfirmSeat: CQDCommand, Codable {
    let seat: Int
    let guest: String
}

@Resolvable
final class ConfirmSeatHandler: HandlesCommand {
    private let context: EntityContext

    func handle(_ command: ConfirmSeat) async throws {
        let seat = try await context.find(Seat.self, id: command.seat) ?? Seat(id: command.seat)
        context.cancelScheduled(try seat.confirm(for: command.guest))
    }
}

struct ExpireReservation: CQDCommand, DurableCommand {
    static let commandName = "expire-reservation"
    let seat: Int
    let expiry: UUID
}

@Resolvable
final class ExpireReservationHandler: HandlesCommand {
    private let context: EntityContext

    func handle(_ command: ExpireReservation) async throws {
        try await context.find(Seat.self, id: command.seat)?.expire(command.expiry)
    }
}
