// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceProcesses
import HeadraceRelay
import HeadraceTesting
import Testing

private struct OrderPlaced: DurableDomainEvent {
    static let eventName = "order-placed"
    var order: UUID
    var amount: Int
}

private struct PaymentTaken: DurableDomainEvent {
    static let eventName = "payment-taken"
    var order: UUID
}

private struct Shipped: DurableDomainEvent {
    static let eventName = "shipped"
    var order: UUID
}

private struct TakePayment: CQDCommand, DurableCommand, Equatable {
    static let commandName = "take-payment"
    var order: UUID
    var amount: Int
}

private struct Ship: CQDCommand, DurableCommand, Equatable {
    static let commandName = "ship"
    var order: UUID
}

private struct CancelOrder: CQDCommand, DurableCommand, Equatable {
    static let commandName = "cancel-order"
    var order: UUID
}

private struct Fulfilment: DurableProcess {
    static let processName = "fulfilment"
    static let commands: [any DurableCommand.Type] = [TakePayment.self, Ship.self, CancelOrder.self]

    enum Step: String, Codable { case paying, shipping, shipped, cancelled }
    enum Timeout: String, CaseIterable { case payment }

    let order: UUID
    var step = Step.paying

    init(key order: UUID) { self.order = order }

    static let reactions: [ProcessReaction<Fulfilment>] = [
        .start(on: OrderPlaced.self, by: \.order) { process, event, context in
            context.send(TakePayment(order: process.order, amount: event.amount))
            context.setTimeout(.payment, after: .seconds(900))
        },
        .on(PaymentTaken.self, by: \.order) { process, _, context in
            process.step = .shipping
            context.cancelTimeout(.payment)
            context.send(Ship(order: process.order))
        },
        .on(Shipped.self, by: \.order) { process, _, context in
            process.step = .shipped
            context.end()
        },
        .onTimeout(.payment) { process, context in
            process.step = .cancelled
            context.send(CancelOrder(order: process.order))
            context.end()
        },
    ]
}

private final class Order: StoredEntity {
    static let entityName = "order"

    let id: UUID
    var isCancelled = false
    var raisedEvents = RaisedEvents()

    init(_ id: UUID) {
        self.id = id
    }
}

private final class TakePaymentHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: TakePayment) async throws {}
}

private final class ShipHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: Ship) async throws {}
}

private final class CancelOrderHandler: HandlesCommand, Resolvable {
    private let unitOfWork: UnitOfWork<EntityContext>

    init(scope: any DependencyResolutionScope) {
        unitOfWork = scope.resolve()
    }

    func handle(_ command: CancelOrder) async throws {
        try await unitOfWork.execute { context in
            try await context.find(Order.self, id: command.order)?.isCancelled = true
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct ProcessManagersTests {
    private let order = UUID()

    private func makeContainer() throws -> Container {
        let builder = ContainerBuilder()
        let store = try InMemoryStore(entities: [StoredProcess.self, Order.self])
        builder.domain(store: store, processes: [Fulfilment.self])
        builder.commandQueryDispatch().standard(
            commandHandlers: [TakePaymentHandler.self, ShipHandler.self, CancelOrderHandler.self]
        )
        try builder.validate()
        return builder.build()
    }

    @Test func anUnpaidOrderIsCancelledAfter15Minutes() async throws {
        let container = try makeContainer()
        try await TestRelay.run(container.resolve()) { relay in
            let unitOfWork: UnitOfWork<EntityContext> = container.resolve()
            try await unitOfWork.execute { context in
                let order = Order(order)
                context.insert(order)
                order.raiseEvent(OrderPlaced(order: order.id, amount: 100))
            }
            try await relay.untilIdle()

            let processes: Processes = container.resolve()
            let fulfilment = try await processes.find(Fulfilment.self, key: order)
            print(fulfilment?.state.step as Any, fulfilment?.timeouts[.payment] as Any)
            #expect(fulfilment?.state.step == .paying)

            try await relay.advance(by: .seconds(900))
            let isCancelled = try await unitOfWork.execute { context in
                try await context.find(Order.self, id: order)?.isCancelled
            }
            #expect(isCancelled == true)
            #expect(try await processes.running(Fulfilment.self).isEmpty)

            try await relay.advance(by: .seconds(31 * 86_400))
            let monthAgo = relay.clock.date.addingTimeInterval(-30 * 86_400)
            try await processes.removeEnded(before: monthAgo)
            #expect(try await processes.find(Fulfilment.self, key: order) == nil)
        }
    }

    @Test func aPaidOrderIsShipped() throws {
        var fulfilment = TestProcess(Fulfilment.self)
        try fulfilment.given(OrderPlaced(order: order, amount: 100))
        try fulfilment.when(PaymentTaken(order: order))

        #expect(fulfilment.sent(Ship.self) == [Ship(order: order)])
        #expect(fulfilment.timeouts.isEmpty)
        #expect(fulfilment.state?.step == .shipping)
    }

    @Test func anUnpaidOrderIsCancelled() throws {
        var fulfilment = TestProcess(Fulfilment.self)
        try fulfilment.given(OrderPlaced(order: order, amount: 100))
        try fulfilment.whenTimePasses(.seconds(900))

        #expect(fulfilment.sent(CancelOrder.self) == [CancelOrder(order: order)])
        #expect(fulfilment.isEnded)

        try fulfilment.when(PaymentTaken(order: order))
        #expect(fulfilment.ignored.count == 1)
    }
}
