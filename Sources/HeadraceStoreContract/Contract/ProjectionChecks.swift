// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceProjections
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting

extension StoreContract {
    static func projectionChecks(for capabilities: Capabilities) -> [Check] {
        (1...8).map { seed in
            Check("projections equal the log while they are killed, rebuilt, and read, seed \(seed)") { fixture in
                let entities = Projections.entities
                let store = try await fixture.openDeliveries(entities).store
                // A second store object stands for another process.
                let other = capabilities.isShared ? try await fixture.openDeliveries(entities).store : store
                try await ProjectionWalk(stores: [store, other], seed: UInt64(seed)).perform()
            }
        }
    }
}

/// Random writers, readers, kills, and versions of a projection, compared with a fold of the log.
private final class ProjectionWalk {
    private let stores: [any DeliveryStore]
    private let clock = TestClock()
    private let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
    private var generator: SeededGenerator
    private var version = 1

    init(stores: [any DeliveryStore], seed: UInt64) {
        self.stores = stores
        generator = SeededGenerator(seed: seed)
    }

    nonisolated(nonsending) func perform() async throws {
        for _ in 0..<5 {
            try await performRound()
            // Later than the leases of killed processes, and sometimes later than the retention of earlier versions.
            clock.advance(by: .seconds(Int.random(in: 6...4_000, using: &generator)))
        }
        // All versions are current: those that were built in steps, and a projection that is built at once.
        try await finish(version, isNew: false)
        try await requireRows(of: projection(version: version), current: true)
        try await finish(version, isNew: true)
        try await requireRows(of: projection(version: version), current: true)
        try await requireRows(of: projection("rebuilt", version: version), current: true)
        try await finish(version + 1, isNew: false, writers: 3)
        try await requireRows(of: projection(version: version + 1), current: true)
    }

    /// Runs one or two programs, possibly of two versions, with writers and a reader, and ends each of them in its own way.
    private nonisolated(nonsending) func performRound() async throws {
        if Bool.random(using: &generator) { version += 1 }
        var running: [(store: FaultInjectingStore, projections: Projections, task: Task<Void, any Error>)] = []
        for store in stores.prefix(Int.random(in: 1...2, using: &generator)) {
            let failing = FaultInjectingStore(store)
            let own = max(1, version - Int.random(in: 0...1, using: &generator))
            let projections = Projections(
                projection(version: own),
                on: failing,
                delegator: registrar,
                configuration: configuration(),
                clock: clock,
                wallClock: wallClock
            )
            running.append((failing, projections, Task { try await projections.run() }))
        }
        let seeds = (0..<2).map { _ in generator.next() }
        let (stores, registrar, version) = (stores, registrar, version)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (store, seed) in zip(stores, seeds) {
                group.addTask { try await Self.write(to: store, registrar, seed: seed) }
            }
            group.addTask {
                for _ in 0..<6 {
                    try await Self.requireRows(
                        of: Self.projection("boxes", version: version, readableFrom: 1),
                        on: stores[0],
                        registrar
                    )
                }
            }
            try await group.waitForAll()
        }
        for (store, projections, task) in running {
            if Bool.random(using: &generator) {
                store.kill()
                task.cancel()
            } else {
                projections.shutDown()
            }
            try await task.value
        }
    }

    /// Lets an undisturbed program apply the rest, and then the events of `writers`, which each process must see at once.
    private nonisolated(nonsending) func finish(_ version: Int, isNew: Bool, writers: Int = 0) async throws {
        clock.advance(by: .seconds(60))
        let projection = isNew ? projection("rebuilt", version: version) : projection(version: version)
        let projections = Projections(
            projection,
            on: stores[0],
            delegator: registrar,
            configuration: configuration(),
            clock: clock,
            wallClock: wallClock
        )
        let running = Task { try await projections.run() }
        try await projections.untilCurrent()
        for _ in 0..<writers {
            try await Self.write(to: stores[0], registrar, seed: generator.next())
            let end = try await stores[0].deliveryStatistics().lastPosition
            for store in stores {
                let reader = Projections(projection, on: store, delegator: registrar)
                let position = try await reader.read(projection, currentWithin: .seconds(60)) { rows in rows.position }
                try requireEqual(position, end, "the position of a read that must be current")
            }
        }
        projections.shutDown()
        try await running.value
    }

    private func configuration() -> Projections.Configuration {
        var configuration = Projections.Configuration()
        configuration.pollJitter = 0
        configuration.batchLimit = Int.random(in: 1...7, using: &generator)
        return configuration
    }

    private var wallClock: @Sendable () -> Date {
        { [clock] in clock.date }
    }

    private func projection(_ name: String = "boxes", version: Int) -> Projection<BoxRow> {
        Self.projection(name, version: version)
    }

    /// The rows depend on the order of the events, and each version has other rows.
    private static func projection(
        _ name: String,
        version: Int,
        readableFrom readableVersion: Int? = nil
    ) -> Projection<BoxRow> {
        Projection<BoxRow>(name, version: version, readableFrom: readableVersion)
            .applying(BoxFilled.self) { event, rows in
                try await rows.update(event.box, orInsert: BoxRow(id: event.box)) {
                    $0.fill(event.amount, version: version)
                }
            }
            .applying(BoxEmptied.self) { event, rows in rows.delete(event.box) }
    }

    private static func write(
        to store: any DeliveryStore,
        _ registrar: DomainEventHandlerRegistrar,
        seed: UInt64
    ) async throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<Int.random(in: 1...12, using: &generator) {
            try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let box = "box \(Int.random(in: 0..<4, using: &generator))"
                    switch Int.random(in: 0..<6, using: &generator) {
                    case 0: context.raiseEvent(BoxEmptied(box: box))
                    case 1: context.raiseEvent(BoxIgnored(box: box))
                    default: context.raiseEvent(BoxFilled(box: box, amount: Int.random(in: 1...9, using: &generator)))
                    }
                }
            }
        }
    }

    private nonisolated(nonsending) func requireRows(of projection: Projection<BoxRow>, current: Bool) async throws {
        for store in stores { try await Self.requireRows(of: projection, on: store, registrar, current: current) }
    }

    /// Requires that the rows are a fold of the log up to their position; `current` also requires that none is missing.
    private static nonisolated(nonsending) func requireRows(
        of projection: Projection<BoxRow>,
        on store: any DeliveryStore,
        _ registrar: DomainEventHandlerRegistrar,
        current: Bool = false
    ) async throws {
        let reader = Projections(projection, on: store, delegator: registrar)
        let read: (rows: [BoxRow], fullest: [BoxRow], position: Int64, version: Int)
        do {
            read = try await reader.read(projection) { rows in
                let fullest = try await rows.fetch(
                    where: [.isAtLeast(.digest, 100)],
                    orderedBy: .descending(.digest),
                    limit: 2
                )
                return (try await rows.fetch(), fullest, rows.position, rows.version)
            }
        } catch let error as ProjectionError where error.code == .building && !current {
            return
        }
        let events = try await store.events(after: 0, limit: .max)
        let expected = try fold(events.filter { $0.position <= read.position }, version: read.version)
        let subject = "\(projection.name) \(read.version) at position \(read.position)"
        try requireEqual(read.rows, expected, "the rows of \(subject)")
        let fullest = expected.filter { $0.digest >= 100 }.sorted { ($0.digest, $0.id) > ($1.digest, $1.id) }.prefix(2)
        try requireEqual(read.fullest, Array(fullest), "the first rows of \(subject)")
        if current { try requireEqual(read.position, events.last?.position ?? 0, "the position of \(subject)") }
    }

    private static func fold(_ events: [EventRecord], version: Int) throws -> [BoxRow] {
        var registry = EventRegistry()
        try registry.register(BoxFilled.self)
        try registry.register(BoxEmptied.self)
        try registry.register(BoxIgnored.self)
        var rows: [String: BoxRow] = [:]
        for record in events {
            switch try registry.decode(record.event) {
            case let event as BoxFilled:
                rows[event.box, default: BoxRow(id: event.box)].fill(event.amount, version: version)
            case let event as BoxEmptied: rows[event.box] = nil
            default: break
            }
        }
        return rows.values.sorted { $0.id < $1.id }
    }
}

private struct BoxRow: ProjectionRow, Equatable {
    static var indexes: [RowIndex<BoxRow>] { [.digest] }

    let id: String
    var count = 0
    var digest = 0

    mutating func fill(_ amount: Int, version: Int) {
        count += 1
        digest = (digest * 31 + amount * version) % 1_000_003
    }
}

extension RowIndex<BoxRow> {
    fileprivate static var digest: Self { RowIndex("digest") { $0.digest } }
}

private struct BoxFilled: DurableDomainEvent {
    static let eventName = "box-filled"
    var box: String
    var amount: Int
}

private struct BoxEmptied: DurableDomainEvent {
    static let eventName = "box-emptied"
    var box: String
}

/// An event that the projection doesn't apply.
private struct BoxIgnored: DurableDomainEvent {
    static let eventName = "box-ignored"
    var box: String
}
