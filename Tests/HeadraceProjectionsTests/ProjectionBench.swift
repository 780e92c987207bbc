// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceProjections
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Synchronization

/// A store of sales in memory, and projections of them on a clock that the test advances.
final class ProjectionBench: Sendable {
    let store: InMemoryStore
    let clock = TestClock()
    let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())

    init() throws {
        store = try InMemoryStore(entities: Projections.entities)
    }

    func projections<each Row: ProjectionRow>(
        _ projections: repeat Projection<each Row>,
        on store: (any DeliveryStore)? = nil,
        _ configure: (inout Projections.Configuration) -> Void = { _ in }
    ) -> Projections {
        var configuration = Projections.Configuration()
        configuration.pollJitter = 0
        configuration.backoff = Backoff(base: .seconds(1), factor: 1, longest: .seconds(1))
        configure(&configuration)
        return Projections(
            repeat each projections,
            on: store ?? self.store,
            delegator: registrar,
            configuration: configuration,
            clock: clock,
            wallClock: { [clock] in clock.date }
        )
    }

    /// Commits sales, each with its event, in one unit of work.
    nonisolated(nonsending) func sell(_ amounts: Int..., of product: String = "a") async throws {
        try await raise(amounts.map { Sold(product: product, amount: $0) })
    }

    nonisolated(nonsending) func raise(_ events: [any DurableDomainEvent]) async throws {
        try await SystemValues.withCurrent(.test(clock: clock)) {
            try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                for event in events { context.raiseEvent(event) }
            }
        }
    }

    /// Returns the sums of all products as `projection` has them, like `a 3`.
    nonisolated(nonsending) func sums(_ projection: Projection<Sales>) async throws -> [String] {
        try await projections(projection).read(projection) { rows in
            try await rows.fetch().map { "\($0.id) \($0.sum)" }
        }
    }

    /// Returns the states of all versions, like `sales 1 active`.
    nonisolated(nonsending) func states() async throws -> [String] {
        try await projections(sales(9)).status().filter { !$0.isDeclared }.map {
            "\($0.name) \($0.version) \($0.state)"
        }
    }

    /// Builds `projection` and stops.
    nonisolated(nonsending) func build(_ projection: Projection<Sales>) async throws {
        try await withProjections(projections(projection)) { try await $0.untilCurrent() }
    }
}

/// Runs `projections` while `operation` runs, and then shuts them down.
nonisolated(nonsending) func withProjections(
    _ projections: Projections,
    _ operation: nonisolated(nonsending) (Projections) async throws -> Void
) async throws {
    let running = Task { try await projections.run() }
    do {
        try await operation(projections)
        projections.shutDown()
        try await running.value
    } catch {
        running.cancel()
        _ = await running.result
        throw error
    }
}

/// Returns a projection whose rows are the sums of the sales, multiplied by `version`.
///
/// `hook` runs before each event.
func sales(
    _ version: Int,
    readableFrom readableVersion: Int? = nil,
    missingEvents: MissingEvents = .refused,
    hook: @escaping @Sendable (Sold) async throws -> Void = { _ in }
) -> Projection<Sales> {
    Projection<Sales>("sales", version: version, readableFrom: readableVersion, missingEvents: missingEvents)
        .applying(Sold.self) { event, rows in
            try await hook(event)
            try await rows.update(event.product, orInsert: Sales(id: event.product)) {
                $0.sum += event.amount * version
            }
        }
        .applying(Discontinued.self) { event, rows in rows.delete(event.product) }
}

struct Sales: ProjectionRow, Equatable {
    static var indexes: [RowIndex<Sales>] { [.sum, .first] }

    let id: String
    var sum = 0
}

extension RowIndex<Sales> {
    static var sum: Self { RowIndex("sum") { $0.sum } }
    static var first: Self { RowIndex("first") { $0.id.first.map(String.init) } }
}

struct Sold: DurableDomainEvent, Equatable {
    static let eventName = "sold"
    var product: String
    var amount: Int
}

struct Discontinued: DurableDomainEvent {
    static let eventName = "discontinued"
    var product: String
}

/// A later version of ``Sold``, which another version of the program has stored.
struct NewerSold: DurableDomainEvent {
    static let eventName = "sold"
    static let eventVersion = 2
    static let eventMigrations = [JSONMigration(from: 1) { $0 }]
    var product: String
    var amount: Int
}
