// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceProcesses
import HeadraceProjections
import HeadraceTesting
import Testing

private struct OrderPlaced: DurableDomainEvent {
    static let eventName = "order-placed"
    var customerId: UUID
    var total: Int
}

private struct CustomerRemoved: DurableDomainEvent {
    static let eventName = "customer-removed"
    var customerId: UUID
}

private struct PlaceOrder: CQDCommand {
    var customerId: UUID
    var total: Int
}

private struct PlaceOrderHandler: HandlesCommand, Resolvable {
    private let unitOfWork: UnitOfWork<EntityContext>

    init(scope: any DependencyResolutionScope) {
        unitOfWork = scope.resolve()
    }

    func handle(_ command: PlaceOrder) async throws {
        try await unitOfWork.execute { context in
            context.raiseEvent(OrderPlaced(customerId: command.customerId, total: command.total))
        }
    }
}

struct CustomerTotal: ProjectionRow {
    static var indexes: [RowIndex<CustomerTotal>] { [.total] }

    let id: UUID
    var orderCount = 0
    var total = 0
}

extension RowIndex<CustomerTotal> {
    static var total: Self { RowIndex("total") { $0.total } }
}

private let customerTotals = Projection<CustomerTotal>("customer-totals", version: 1)
    .applying(OrderPlaced.self) { event, rows in
        try await rows.update(event.customerId, orInsert: CustomerTotal(id: event.customerId)) { row in
            row.orderCount += 1
            row.total += event.total
        }
    }
    .applying(CustomerRemoved.self) { event, rows in
        rows.delete(event.customerId)
    }

@Suite(.timeLimit(.minutes(1))) struct ReadModelsTests {
    private func makeContainer() throws -> Container {
        let builder = ContainerBuilder()
        let store = try InMemoryStore(entities: Projections.entities)
        builder.domain(store: store)
        builder.projections(customerTotals, on: store)
        try builder.validate(.strict)
        builder.commandQueryDispatch().standard(commandHandlers: [PlaceOrderHandler.self])
        return builder.build()
    }

    @Test func totalsAreReadByTheirIndex() async throws {
        let container = try makeContainer()
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        let projections: Projections = container.resolve()
        let running = Task { try await projections.run() }
        let customer = UUID()

        try await dispatcher.dispatch(PlaceOrder(customerId: customer, total: 1_200))
        try await projections.untilCurrent()
        let total = try await projections.read(customerTotals) { rows in try await rows.find(customer) }
        #expect(total?.orderCount == 1)

        try await dispatcher.dispatch(PlaceOrder(customerId: UUID(), total: 999))
        try await projections.untilCurrent()
        let best = try await projections.read(customerTotals) { rows in
            try await rows.fetch(where: [.isAtLeast(.total, 1_000)], orderedBy: .descending(.total), limit: 10)
        }
        #expect(best.map(\.id) == [customer])

        for status in try await projections.status() {
            print(
                status.name, status.version, status.state, status.pendingCount, status.lag(at: Date()),
                status.failure ?? "")
        }
        projections.shutDown()
        try await running.value
        withExtendedLifetime(container) {}
    }

    @Test func projectionsAreCreatedWithoutAContainer() async throws {
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        let store = try InMemoryStore(entities: Projections.entities)
        let projections = Projections(customerTotals, on: store, delegator: registrar)
        let metrics = ProjectionMetrics(projections)
        let running = (Task { try await projections.run() }, Task { await metrics.run() })
        try await projections.untilCurrent()
        running.1.cancel()
        await running.1.value
        projections.shutDown()
        try await running.0.value
        #expect(try await projections.status().map(\.state) == [.active])
    }

    @Test func aTotalIsReadByItsIdentifier() async throws {
        let container = try makeContainer()
        let projections: Projections = container.resolve()
        let running = Task { try await projections.run() }
        try await projections.untilCurrent()
        let customerId = UUID()
        let total = try await projections.read(customerTotals) { rows in try await rows.find(customerId) }
        #expect(total == nil)
        projections.shutDown()
        try await running.value
        withExtendedLifetime(container) {}
    }

    @Test func theCallerOfACommandSeesItsTotal() async throws {
        let container = try makeContainer()
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        let projections: Projections = container.resolve()
        let running = Task { try await projections.run() }
        let customerId = UUID()
        try await dispatcher.dispatch(PlaceOrder(customerId: customerId, total: 1_200))

        let total = try await projections.read(customerTotals, currentWithin: .seconds(2)) { rows in
            try await rows.find(customerId)
        }

        #expect(total?.total == 1_200)
        projections.shutDown()
        try await running.value
        withExtendedLifetime(container) {}
    }
}
