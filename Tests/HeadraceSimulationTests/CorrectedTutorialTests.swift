// SPDX-License-Identifier: Apache-2.0

#if Simulations && Macros
import Headrace
import HeadraceSimulation
import Testing

@DomainEntity
private final class LoyaltyCard: StoredEntity {
    static let entityName = "loyalty-card"
    let id: String
    private(set) var points: Int

    init(id: String, points: Int = 0) {
        self.id = id
        self.points = points
    }

    func add(_ amount: Int, for purchase: String) {
        points += amount
        raiseEvent(PointsAdded(purchase: purchase))
    }
}

private struct PointsAdded: DurableDomainEvent {
    static let eventName = "points-added"
    var purchase: String
}

private protocol Mailer: Sendable {
    func send(_ text: String, key: String) async throws
}

private struct AddPoints: CQDCommand, IdempotentMessage {
    let purchase: String
    let card: String
    let points: Int

    var idempotencyKey: String { "add-points/\(purchase)" }
}

@Resolvable
private final class AddPointsHandler: HandlesCommand {
    private let unitOfWork: UnitOfWork<EntityContext>

    func handle(_ command: AddPoints) async throws {
        try await unitOfWork.execute { context in
            let card = try await context.find(LoyaltyCard.self, id: command.card) ?? LoyaltyCard(id: command.card)
            context.insert(card)
            card.add(command.points, for: command.purchase)
        }
    }
}

@Resolvable
private final class ConfirmPoints: HandlesDurableDomainEvent {
    static let subscriptionName = "confirm-points"
    private let mailer: any Mailer

    func handle(_ event: PointsAdded) async throws {
        try await mailer.send("points for \(event.purchase)", key: event.purchase)
    }
}

private struct SimulatedMailer: Mailer {
    let service: SimulatedService

    func send(_ text: String, key: String) async throws {
        try await service.perform("send \(text)", key: key)
    }
}

private enum Shop {
    static func makeContainer(store: any DeliveryStore, mailer: any Mailer) -> Container {
        let builder = ContainerBuilder()
        builder.singleton((any Mailer).self) { mailer }
        builder.domain(store: store, handlers: [ConfirmPoints.self])
        builder.commandQueryDispatch().standard(
            commandHandlers: [AddPointsHandler.self],
            middleware: [RetryMiddleware()],
            resolvedMiddleware: [IdempotencyMiddleware.self]
        )
        return builder.build()
    }
}

@Suite struct CorrectedTutorialTests {
    @Test(.timeLimit(.minutes(2))) func everyPurchaseIsConfirmedOnce() async {
        let summary = await Simulation.explore(seeds: 0..<60, entities: [LoyaltyCard.self]) { world in
            let mailer = world.service("mailer")
            let servers = try await world.start("server", count: 2) { node in
                Shop.makeContainer(store: node.store, mailer: SimulatedMailer(service: mailer))
            }
            try await world.clients(4) { number in
                let command = AddPoints(purchase: "purchase \(number)", card: "card", points: 1)
                try? await world.any(of: servers).request { container in
                    try await container.resolve((any CommandQueryDispatcher).self).dispatch(command)
                }
            }
            try await world.eventuallyFinishes()
            let points = try await EntityContext(world.store).find(LoyaltyCard.self, id: "card")?.points ?? 0
            world.expect(points == mailer.effects.count, "\(points) points, but \(mailer.effects.count) mails")
            world.expectOnce(mailer)
        }
        #expect(summary.faultCounts.count > 4, "\(summary)")
    }
}
#endif
