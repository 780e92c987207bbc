// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import HeadraceWorkflows
import Testing

private struct Packed: DurableDomainEvent {
    static let eventName = "packed"
    var order: UUID
}

private struct OrderPlaced: DurableDomainEvent {
    static let eventName = "order-placed"
    var order: UUID
}

@Resolvable
private struct StartFulfilment: HandlesDurableDomainEvent {
    static let subscriptionName = "start-fulfilment"

    private let context: EntityContext

    func handle(_ event: OrderPlaced) async throws {
        try await context.start(Fulfilment(order: event.order), id: event.order)
    }
}

private struct TakePayment: CQDCommand, DurableCommand {
    typealias Output = String
    static let commandName = "take-payment"
    var order: UUID
}

private struct ReserveStock: CQDCommand, DurableCommand {
    static let commandName = "reserve-stock"
    var order: UUID
}

private struct Ship: CQDCommand, DurableCommand {
    static let commandName = "ship"
    var order: UUID
}

private struct Refund: CQDCommand, DurableCommand {
    static let commandName = "refund"
    var payment: String
}

private struct CardDeclined: Error, Codable {}

private struct NotPacked: Error, Codable {}

private struct Receipt: Codable, Hashable {
    var payment: String
}

private struct Fulfilment: DurableWorkflow {
    static let workflowName = "fulfilment"
    static let receives: [WorkflowEvent<Fulfilment>] = [.event(Packed.self, by: \.order)]

    let order: UUID

    func run(_ flow: WorkflowContext) async throws -> Receipt {
        let payment = try await flow.dispatch(TakePayment(order: order))
        do {
            guard try await flow.next(Packed.self, within: .seconds(3 * 86_400)) != nil else { throw NotPacked() }
            try await flow.dispatch(Ship(order: order))
        } catch {
            try await flow.dispatch(Refund(payment: payment))
            throw error
        }
        return Receipt(payment: payment)
    }
}

/// The second version of the workflow.
private struct Purchase: DurableWorkflow {
    static let workflowName = "purchase"
    static let workflowVersion = 2
    static let workflowMigrations = [JSONMigration(from: 1) { $0["amount"] = .integer(100) }]

    enum Outcome: String, Codable { case charged, declined }

    let order: UUID
    let amount: Int

    func run(_ flow: WorkflowContext) async throws -> Outcome {
        if flow.changed("reserve-first") { try await flow.dispatch(ReserveStock(order: order)) }
        try await flow.dispatch(TakePayment(order: order))
        do {
            try await flow.dispatch(TakePayment(order: order), retry: .never)
        } catch let error as WorkflowStepError where error.decode(as: CardDeclined.self) != nil {
            return .declined
        }
        let amount = amount
        let receipt = try await flow.step("charge") { step in
            try await step.resolve(PaymentService.self).charge(amount, key: step.idempotencyKey)
        }
        return receipt.isEmpty ? .declined : .charged
    }
}

/// A workflow that never ends.
private struct Reminder: DurableWorkflow {
    static let workflowName = "reminder"

    var number = 1

    func run(_ flow: WorkflowContext) async throws {
        try await flow.sleep(for: .seconds(86_400))
        try await flow.transaction("remind") { context in context.insert(Order(UUID())) }
        try await flow.continueAsNew(Reminder(number: number + 1))
    }
}

/// A workflow with one instance at a time for each customer.
private struct Delivery: DurableWorkflow {
    static let workflowName = "delivery"

    let customer: UUID
    let number: Int

    var concurrency: WorkflowConcurrency? { .atMost(1, by: customer) }

    func run(_ flow: WorkflowContext) async throws {
        try await flow.dispatch(Ship(order: customer))
    }
}

private struct PaymentService: Sendable {
    func charge(_ amount: Int, key: UUID) async throws -> String { "\(amount)" }
}

private final class Order: StoredEntity {
    static let entityName = "order"

    let id: UUID
    var raisedEvents = RaisedEvents()

    init(_ id: UUID) {
        self.id = id
    }
}

private final class TakePaymentHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: TakePayment) async throws -> String { "payment of \(command.order)" }
}

private final class ReserveStockHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: ReserveStock) async throws {}
}

private final class ShipHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: Ship) async throws {}
}

private final class RefundHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: Refund) async throws {}
}

@Suite(.timeLimit(.minutes(1))) struct WorkflowsTests {
    private let order = Order(UUID())

    private func makeContainer() throws -> Container {
        let builder = ContainerBuilder()
        builder.singleton(PaymentService.self) { PaymentService() }
        let store = try InMemoryStore(entities: [StoredWorkflow.self, Order.self])
        builder.domain(store: store, workflows: [Fulfilment.self, Purchase.self, Reminder.self])
        builder.commandQueryDispatch().standard(
            commandHandlers: [
                TakePaymentHandler.self, ReserveStockHandler.self, ShipHandler.self, RefundHandler.self,
            ]
        )
        try builder.validate()
        return builder.build()
    }

    private func receipt(of order: UUID, _ container: Container) async throws -> Receipt {
        let workflows: Workflows = container.resolve()
        let receipt = try await workflows.result(of: Fulfilment.self, id: order)
        return receipt
    }

    @Test func `a packed order is paid and shipped`() async throws {
        let container = try makeContainer()
        try await TestRelay.run(container.resolve()) { relay in
            let unitOfWork: UnitOfWork<EntityContext> = container.resolve()
            try await unitOfWork.execute { context in
                context.insert(order)
                try await context.start(Fulfilment(order: order.id), id: order.id)
            }
            try await relay.untilIdle()
            try await unitOfWork.execute { $0.raiseEvent(Packed(order: order.id)) }
            try await relay.untilIdle()
            let receipt = try await receipt(of: order.id, container)
            #expect(receipt == Receipt(payment: "payment of \(order.id)"))
        }
    }

    @Test func `an instance runs with doubles, and crashes change nothing`() async throws {
        let order = UUID()
        let dispatcher = RecordingDispatcher()
        dispatcher.stub(TakePayment.self) { _ in "P1" }
        let fulfilment = TestWorkflow(Fulfilment(order: order), id: order, dispatcher: dispatcher)

        try await fulfilment.run { instance in
            try await instance.advance(by: .seconds(86_400))
            try await instance.receive(Packed(order: order))
            #expect(try await instance.result() == Receipt(payment: "P1"))
            #expect(try await instance.steps().first == "the command 'take-payment'")
        }
        try await fulfilment.crashAfterEachStep { instance in
            try await instance.receive(Packed(order: order))
        }
    }

    @Test func `an order that isn't packed in time fails`() async throws {
        let container = try makeContainer()
        let order = order.id
        try await TestRelay.run(container.resolve()) { relay in
            let workflows: Workflows = container.resolve()
            try await workflows.start(Fulfilment(order: order), id: order)
            try await relay.untilIdle()
            let status = try await workflows.status(of: Fulfilment.self, id: order)
            #expect(status?.waits == ["the wait for 'packed'"])

            try await relay.advance(by: .seconds(3 * 86_400))
            for failed in try await workflows.list(named: "fulfilment", in: .failed).instances {
                print(failed.id, failed.stepCount, failed.failure as Any)
            }
            #expect(try await workflows.status(of: Fulfilment.self, id: order)?.state == .failed)
        }
    }

    @Test func `a purchase reserves, and is charged`() async throws {
        let container = try makeContainer()
        let order = order.id
        try await TestRelay.run(container.resolve()) { relay in
            let workflows: Workflows = container.resolve()
            try await workflows.start(Purchase(order: order, amount: 7), id: order)
            try await relay.untilIdle()
            #expect(try await workflows.result(of: Purchase.self, id: order) == .charged)
            #expect(try await workflows.status(of: Purchase.self, id: order)?.stepCount == 4)
        }
    }

    @Test func `a reminder begins anew each day`() async throws {
        let container = try makeContainer()
        try await TestRelay.run(container.resolve()) { relay in
            let workflows: Workflows = container.resolve()
            try await workflows.start(Reminder(), id: 1)
            try await relay.advance(by: .seconds(2 * 86_400))
            let status = try await workflows.status(of: Reminder.self, id: 1)
            #expect(status?.input == #"{"number":3}"#)
        }
    }

    @Test func `an event starts an instance once`() async throws {
        let builder = ContainerBuilder()
        let store = try InMemoryStore(entities: [StoredWorkflow.self, Order.self])
        builder.domain(store: store, handlers: [StartFulfilment.self], workflows: [Fulfilment.self])
        builder.commandQueryDispatch().standard(commandHandlers: [TakePaymentHandler.self])
        let container = builder.build()
        let order = order.id
        try await TestRelay.run(container.resolve()) { relay in
            let unitOfWork: UnitOfWork<EntityContext> = container.resolve()
            for _ in 0..<2 {
                try await unitOfWork.execute { $0.raiseEvent(OrderPlaced(order: order)) }
                try await relay.untilIdle()
            }
            let workflows: Workflows = container.resolve()
            let instances = try await workflows.list().instances
            #expect(instances.map(\.waits) == [["the wait for 'packed'"]])
        }
    }

    @Test func `a customer has one delivery at a time, and each step is a message`() async throws {
        let builder = ContainerBuilder()
        let store = try InMemoryStore(entities: [StoredWorkflow.self, Order.self])
        builder.domain(
            store: store, workflows: [Delivery.self],
            relayMiddleware: [MessageTracingMiddleware(), MessageMetricsMiddleware()])
        builder.commandQueryDispatch().standard(commandHandlers: [ShipHandler.self])
        let container = builder.build()
        let customer = UUID()
        try await TestRelay.run(container.resolve()) { relay in
            let workflows: Workflows = container.resolve()
            for number in 1...3 {
                try await workflows.start(Delivery(customer: customer, number: number), id: number)
            }
            try await relay.untilIdle()
            #expect(try await workflows.list(in: .completed).instances.count == 3)
        }
    }

    @Test func `the code fits the open instances`() async throws {
        let container = try makeContainer()
        let store: any EntityStore = container.resolve()
        let relay: Relay = container.resolve()
        func launch() async throws {
            try await container.validate(.strict, replaying: store)
            try await relay.run()
        }
        let task = Task { try await launch() }
        task.cancel()
        _ = await task.result
    }
}
