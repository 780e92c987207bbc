//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Headrace
import HeadraceInspector

func makeContainer(
    store: any DeliveryStore,
    mailer: Mailer,
    inspector: Inspector = Inspector(),
    clock: any TimeSource = ContinuousClock(),
    today: Today = Today { .now }
) throws -> Container {
    let builder = ContainerBuilder()
    builder.singleton { mailer }
    builder.singleton { today }
    builder.domain(
        store: store,
        entities: [Seat.self],
        events: [SeatConfirmed.self],
        handlers: [SendConfirmation.self],
        scheduled: [
            ScheduledCommand(ExpireReservation.self) { command, scope in
                try await scope.require((any CommandQueryDispatcher).self).dispatch(command)
            }
        ],
        observers: [inspector.observer],
        relayObservers: [inspector.observer],
        clock: clock,
        wallClock: today.date
    )
    builder.commandQueryDispatch().standard(
        commandHandlers: [ReserveSeatHandler.self, ConfirmSeatHandler.self, ExpireReservationHandler.self],
        queryHandlers: [GetSeatsHandler.self],
        middleware: [RetryMiddleware(clock: clock)],
        resolvedMiddleware: [IdempotencyMiddleware.self],
        observers: [inspector.observer]
    )
    try builder.validate(.strict)
    return builder.build()
}
