// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceInspector
import HeadraceProjections
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct ProjectionViewTests {
    private struct Line: Decodable, Equatable {
        let name: String
        let version: Int
        let state: String
        let pending: Int
        let failure: String?
    }

    private struct Sold: DurableDomainEvent {
        static let eventName = "sold"
        let amount: Int
    }

    private struct Total: ProjectionRow {
        var id: String
        var sum = 0
    }

    private struct Failure: Error {}

    @Test func projectionsAreListedWithTheirProgressAndTheirFailure() async throws {
        let store = try InMemoryStore(entities: Projections.entities)
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        let totals = Projection<Total>("totals", version: 2).applying(Sold.self) { event, rows in
            if event.amount < 0 { throw Failure() }
            try await rows.update("all", orInsert: Total(id: "all")) { $0.sum += event.amount }
        }
        let projections = Projections(totals, on: store, delegator: registrar)
        let inspector = Inspector()
        let client = Client(InspectorRoutes(inspector))
        #expect(try await client.get("/api/projections").read() == [Line]())
        inspector.show(projections)

        let running = Task { try await projections.run() }
        for amount in [1, 2] { try await sell(amount, in: store, registrar) }
        try await projections.untilCurrent()
        #expect(
            try await client.get("/api/projections").read()
                == [Line(name: "totals", version: 2, state: "active", pending: 0, failure: nil)])

        try await sell(-1, in: store, registrar)
        await #expect(throws: ProjectionError.self) { try await projections.untilCurrent() }
        // The reason is hidden, as all texts of errors are by default.
        #expect(
            try await client.get("/api/projections").read()
                == [Line(name: "totals", version: 2, state: "stopped", pending: 1, failure: nil)])
        projections.shutDown()
        try await running.value
    }

    private func sell(_ amount: Int, in store: InMemoryStore, _ registrar: DomainEventHandlerRegistrar) async throws {
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            context.raiseEvent(Sold(amount: amount))
        }
    }
}
