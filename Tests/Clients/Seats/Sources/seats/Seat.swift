//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Headrace

@DomainEntity
final class Seat: StoredEntity {
    static let entityName = "seat"

    struct Reservation: Codable {
        let guest: String
        let expiry: UUID
    }

    let id: Int
    private(set) var reservation: Reservation?
    private(set) var isConfirmed = false

    init(id: Int) {
        self.id = id
    }

    /// Reserves the seat; `expiry` is the scheduled command that ends the reservation.
    func reserve(for guest: String, expiry: UUID) throws {
        if let reservation { throw SeatRefusal(reason: "Seat \(id) is taken by \(reservation.guest).") }
        reservation = Reservation(guest: guest, expiry: expiry)
    }

    /// Confirms the reservation of `guest`, and returns the scheduled command that is no longer needed.
    func confirm(for guest: String) throws -> UUID {
        guard let reservation, reservation.guest == guest else {
            throw SeatRefusal(reason: "Seat \(id) isn't reserved for \(guest).")
        }
        if isConfirmed { throw SeatRefusal(reason: "Seat \(id) is already confirmed.") }
        isConfirmed = true
        raiseEvent(SeatConfirmed(seat: id, guest: guest))
        return reservation.expiry
    }

    /// Ends the reservation, unless it is confirmed, or belongs to a later command.
    func expire(_ expiry: UUID) {
        if !isConfirmed, reservation?.expiry == expiry { reservation = nil }
    }
}

struct SeatConfirmed: DurableDomainEvent {
    static let eventName = "seat-confirmed"
    var seat: Int
    var guest: String
}

struct SeatRefusal: Error, Equatable {
    let reason: String
}
