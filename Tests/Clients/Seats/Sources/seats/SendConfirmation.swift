//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Headrace

@Resolvable
final class SendConfirmation: HandlesDurableDomainEvent {
    static let subscriptionName = "confirmations"

    private let mailer: Mailer

    func handle(_ event: SeatConfirmed) async throws {
        mailer.send("Seat \(event.seat) is yours, \(event.guest).")
    }
}

struct Mailer: Sendable {
    let send: @Sendable (String) -> Void
}
