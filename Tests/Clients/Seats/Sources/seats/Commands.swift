//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Headrace

/// The current date, which a test replaces.
struct Today: Sendable {
    let date: @Sendable () -> Date
}

struct ReserveSeat: CQDCommand, Codable {
    let seat: Int
    let guest: String
}

@Resolvable
final class ReserveSeatHandler: HandlesCommand {
    private let today: Today
    private let unitOfWork: UnitOfWork<EntityContext>

    func handle(_ command: ReserveSeat) async throws {
        try await unitOfWork.execute { context in
            var seat = try await context.find(Seat.self, id: command.seat)
            if seat == nil {
                let first = Seat(id: command.seat)
                context.insert(first)
                seat = first
            }
            let expiry = UUID()
            try seat?.reserve(for: command.guest, expiry: expiry)
            try context.schedule(
                ExpireReservation(seat: command.seat, expiry: expiry),
                at: today.date().addingTimeInterval(15 * 60),
                id: expiry
            )
        }
    }
}

struct ConfirmSeat: CQDCommand, Codable {
    let seat: Int
    let guest: String
}

@Resolvable
final class ConfirmSeatHandler: HandlesCommand {
    private let unitOfWork: UnitOfWork<EntityContext>

    func handle(_ command: ConfirmSeat) async throws {
        try await unitOfWork.execute { context in
            guard let seat = try await context.find(Seat.self, id: command.seat) else {
                throw SeatRefusal(reason: "Seat \(command.seat) isn't reserved.")
            }
            context.cancelScheduled(try seat.confirm(for: command.guest))
        }
    }
}

struct ExpireReservation: CQDCommand, DurableCommand {
    static let commandName = "expire-reservation"
    var seat: Int
    var expiry: UUID
}

@Resolvable
final class ExpireReservationHandler: HandlesCommand {
    private let unitOfWork: UnitOfWork<EntityContext>

    func handle(_ command: ExpireReservation) async throws {
        try await unitOfWork.execute { context in
            try await context.find(Seat.self, id: command.seat)?.expire(command.expiry)
        }
    }
}
