// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceInspector
import HeadraceProcesses

let entities: [any StoredEntity.Type] = [Seat.self, StoredSchedule.self]

func makeContainer(
    store: any DeliveryStore,
    mailer: Mailer,
    inspector: Inspector = Inspector()
) throws -> Container {
    let builder = ContainerBuilder()
    builder.singleton { mailer }
    builder.domain(
        store: store,
        handlers: [SendConfirmation.self],
        schedules: [
            RecurringSchedule("evening-summary", try .cron("0 22 * * *", in: .gmt)) { MailSummary(date: $0) }
        ],
        observers: [inspector.observer],
        relayObservers: [inspector.observer]
    )
    builder.commandQueryDispatch().standard(
        commandHandlers: [
            ReserveSeatHandler.self, ConfirmSeatHandler.self, ExpireReservationHandler.self, MailSummaryHandler.self,
            SendMailHandler.self,
        ],
        queryHandlers: [GetSeatsHandler.self, ListSchedulesHandler.self],
        middleware: [RetryMiddleware()],
        resolvedMiddleware: [IdempotencyMiddleware.self, UnitOfWorkMiddleware<EntityContext>.self],
        observers: [inspector.observer]
    )
    try builder.validate(.strict)
    return builder.build()
}
