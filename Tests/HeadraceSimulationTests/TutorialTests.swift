// SPDX-License-Identifier: Apache-2.0

#if Simulations && Macros
import Foundation
import Headrace
import HeadraceSimulation
import Testing

@DomainEntity
private final class LoyaltyCard: StoredEntity {
    static let entityName = "loyalty-card"
    let id: String
    var points: Int

    init(id: String, points: Int = 0) {
        self.id = id
        self.points = points
    }
}

private protocol Mailer: Sendable {
    func send(_ text: String, key: String) async throws
}

private struct AddPoints: CQDCommand {
    let purchase: String
    let card: String
    let points: Int
}

@Resolvable
private final class AddPointsHandler: HandlesCommand {
    private let unitOfWork: UnitOfWork<EntityContext>
    private let mailer: any Mailer

    func handle(_ command: AddPoints) async throws {
        let before = try await unitOfWork.execute { context in
            try await context.find(LoyaltyCard.self, id: command.card)?.points ?? 0
        }
        let key = SystemValues.current.uuid().uuidString
        try await mailer.send("points for \(command.purchase)", key: key)
        try await unitOfWork.execute { context in
            let card = try await context.find(LoyaltyCard.self, id: command.card) ?? LoyaltyCard(id: command.card)
            context.insert(card)
            card.points = before + command.points
        }
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
        builder.domain(store: store)
        builder.commandQueryDispatch().standard(
            commandHandlers: [AddPointsHandler.self], middleware: [RetryMiddleware()])
        return builder.build()
    }
}

private struct ShopSimulation {
    let checksMails: Bool

    func run(_ world: SimulatedWorld) async throws {
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
        world.endFaults()
        let card = try await EntityContext(world.store).find(LoyaltyCard.self, id: "card")
        let stored = card?.points ?? 0
        if checksMails {
            world.expectOnce(mailer)
        } else {
            let mailed = Set(mailer.effects.map(\.operation)).count
            world.expect(stored == mailed, "\(mailed) purchases were confirmed, but the card has \(stored) points")
        }
    }
}

@Suite struct TutorialTests {
    @Test(.timeLimit(.minutes(1))) func theLostUpdateIsFoundAndMadeSmall() async {
        let (summary, failure) = await Simulation.search(
            seeds: 0..<1_000, entities: [LoyaltyCard.self], faults: .none, ShopSimulation(checksMails: false).run)
        #expect(failure?.reasons.first?.contains("purchases were confirmed, but the card has") == true, "\(summary)")
        #expect(failure?.faults.isEmpty == true)
        #expect(failure?.clients == 2, "it needs two clients")
    }

    @Test(.timeLimit(.minutes(1))) func theSecondMailIsFoundAndMadeSmall() async throws {
        let (summary, failure) = await Simulation.search(
            seeds: 0..<1_000, entities: [LoyaltyCard.self], ShopSimulation(checksMails: true).run)
        #expect(failure?.reasons.first?.contains("'mailer' has done 'send points for") == true, "\(summary)")
        // A lost answer or a conflict of two clients is enough for a second attempt.
        #expect(failure.map { $0.faults.count <= 1 } == true, "\(failure?.faults ?? [])")
        #expect(failure.map { $0.clients <= 3 } == true)

        let found = try #require(failure)
        for _ in 0..<20 {
            await #expect(throws: SimulationFailure.self) {
                try await Simulation.run(
                    seed: found.seed, only: Set(found.faults), clients: found.clients, entities: [LoyaltyCard.self],
                    ShopSimulation(checksMails: true).run)
            }
        }
    }
}
#endif
