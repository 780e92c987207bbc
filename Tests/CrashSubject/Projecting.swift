// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceProjections
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting

/// Commits events and applies them to a projection; every second process declares the next version of it.
enum Projecting {
    static func run(path: String, count: Int) async throws {
        let entities: [any StoredEntity.Type] = [Start.self] + Projections.entities
        let subject = try await Subject(path: path, entities: entities)
        let store = subject.store
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        let projection = projection(version: try await nextVersion(on: store), on: store)

        try await withProjections(projection, on: store, registrar) { projections in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for counter in 0..<4 {
                    group.addTask {
                        for _ in 0..<count {
                            try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute {
                                $0.raiseEvent(Counted(counter: "\(counter)", amount: Int.random(in: 1...9)))
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await requireFold(projection, projections, on: store)
        }
        // The same rows, if they are built at once.
        let rebuilt = self.projection("rebuilt", version: Int.random(in: 1...1_000_000), on: store)
        try await withProjections(rebuilt, on: store, registrar) { projections in
            try await requireFold(rebuilt, projections, on: store)
        }
    }

    private static func nextVersion(on store: any DeliveryStore) async throws -> Int {
        let context = EntityContext(store)
        let start = try await context.find(Start.self, id: "start") ?? Start()
        context.insert(start)
        start.count += 1
        let count = start.count
        try await context.commit([])
        return (count + 1) / 2
    }

    private static func projection(
        _ name: String = "counters",
        version: Int,
        on store: any DeliveryStore
    ) -> Projection<Counter> {
        Projection<Counter>(name, version: version).applying(Counted.self) { event, rows in
            try await rows.update(event.counter, orInsert: Counter(id: event.counter)) { $0.add(event.amount) }
            CrashFaults.pass(.afterHandler)
        }
    }

    /// Runs the projection with short leases, so that the lease of another process is soon taken over.
    private static func withProjections(
        _ projection: Projection<Counter>,
        on store: any DeliveryStore,
        _ registrar: DomainEventHandlerRegistrar,
        _ body: (Projections) async throws -> Void
    ) async throws {
        var configuration = Projections.Configuration()
        configuration.batchLimit = 3
        configuration.leaseDuration = .milliseconds(400)
        configuration.pollInterval = .milliseconds(50)
        let projections = Projections(projection, on: store, delegator: registrar, configuration: configuration)
        async let running: Void = projections.run()
        try await body(projections)
        projections.shutDown()
        try await running
    }

    /// Waits until all events are applied, and throws unless the rows are a fold of the log.
    private static func requireFold(
        _ projection: Projection<Counter>,
        _ projections: Projections,
        on store: any DeliveryStore
    ) async throws {
        try await projections.untilCurrent()
        let (rows, position) = try await projections.read(projection) { rows in (try await rows.fetch(), rows.position)
        }
        var registry = EventRegistry()
        try registry.register(Counted.self)
        var expected: [String: Counter] = [:]
        for record in try await store.events(after: 0, limit: .max) where record.position <= position {
            guard let event = try registry.decode(record.event) as? Counted else { continue }
            expected[event.counter, default: Counter(id: event.counter)].add(event.amount)
        }
        if rows != expected.values.sorted(by: { $0.id < $1.id }) { throw WrongRows(rows: rows) }
        CrashSubject.say("\(projection.name) \(rows.reduce(0) { $0 + $1.count })")
    }
}

private struct WrongRows: Error {
    let rows: [Counter]
}

private struct Counter: ProjectionRow, Equatable {
    let id: String
    var count = 0

    /// Depends on the order of the amounts.
    var digest = 0

    mutating func add(_ amount: Int) {
        count += 1
        digest = (digest * 31 + amount) % 1_000_003
    }
}

private struct Counted: DurableDomainEvent {
    static let eventName = "counted"
    var counter: String
    var amount: Int
}

/// The number of processes that have begun.
private final class Start: StoredEntity {
    static let entityName = "start"

    var id = "start"
    var count = 0
    var raisedEvents = RaisedEvents()
}
#endif
