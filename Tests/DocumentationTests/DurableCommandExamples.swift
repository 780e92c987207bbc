// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceTesting
import Testing

private final class Purchase: StoredEntity {
    static let entityName = "purchase"
    let id: UUID
    var raisedEvents = RaisedEvents()

    init() {
        id = UUID()
    }
}

private struct ChargeCard: CQDCommand, DurableCommand {
    typealias Output = String
    static let commandName = "charge-card"
    let orderId: UUID
}

private final class ChargeCardHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: ChargeCard) async throws -> String {
        "receipt"
    }
}

private struct CardCharged: DurableDomainEvent {
    static let eventName = "card-charged"
    let orderId: UUID
    let receipt: String
}

@Suite(.timeLimit(.minutes(1))) struct DurableCommandExamples {
    @Test(arguments: [true, false]) func aUnitOfWorkSendsACommand(isRaising: Bool) async throws {
        let store = try InMemoryStore(entities: [Purchase.self])
        let builder = ContainerBuilder()
        let command = isRaising ? raising : plain
        builder.domain(store: store, scheduled: [command])
        builder.commandQueryDispatch().standard(commandHandlers: [ChargeCardHandler.self])
        let container = builder.build()

        try await TestRelay.run(container.resolve()) { relay in
            let unitOfWork: UnitOfWork<EntityContext> = container.resolve()
            let order = Purchase()
            try await unitOfWork.execute { context in
                context.insert(order)
                try context.send(ChargeCard(orderId: order.id))
            }
            try await relay.untilIdle()

            #expect(try await store.deliveryStatistics().pendingCount == 0)
            #expect(try await store.events(after: 0, limit: 10).count == (isRaising ? 1 : 0))
        }
    }

    private var plain: ScheduledCommand {
        ScheduledCommand(ChargeCard.self)
    }

    private var raising: ScheduledCommand {
        ScheduledCommand(ChargeCard.self, raising: { CardCharged(orderId: $0.orderId, receipt: $1) })
    }
}
