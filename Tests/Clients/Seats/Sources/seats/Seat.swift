// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace

/// A guest's reservation of a seat, which ends after 15 minutes unless it is confirmed.
struct Reservation: Codable, Equatable {
    let seat: Int
    let guest: String
    let until: Date

    /// The scheduled command that ends the reservation.
    let expiry: UUID
}

@DomainEntity
final class Seat: StoredEntity {
    static let entityName = "seat"

    let id: Int
    private(set) var reservation: Reservation?
    private(set) var isConfirmed = false

    init(id: Int) {
        self.id = id
    }

    func reserve(_ new: Reservation) throws {
        if let reservation { throw SeatRefusal(reason: "Seat \(id) is taken by \(reservation.guest).") }
        reservation = new
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

    /// Ends the reservation with this expiry, unless it is confirmed.
    func expire(_ expiry: UUID) {
        if !isConfirmed, reservation?.expiry == expiry { reservation = nil }
    }
}

struct SeatConfirmed: DurableDomainEvent {
    static let eventName = "seat-confirmed"
    let seat: Int
    let guest: String
}

struct SeatRefusal: Error, Equatable {
    let reason: String
}
