// SPDX-License-Identifier: Apache-2.0

import Headrace

struct SeatState: Codable, Equatable {
    let seat: Int
    let guest: String?
    let isConfirmed: Bool
}

struct GetSeats: CQDQuery, Decodable {
    typealias Value = [SeatState]
}

@Resolvable
final class GetSeatsHandler: HandlesQuery {
    private let context: EntityContext

    func handle(_ query: GetSeats) async throws -> [SeatState] {
        try await context.fetch(Seat.self).map { seat in
            SeatState(seat: seat.id, guest: seat.reservation?.guest, isConfirmed: seat.isConfirmed)
        }
    }
}
