// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceSQLite
import HeadraceStorage
import Measuring

/// A store with the work of a relay: one small event per commit, 64 callers, 1,000 streams.
final class Workload: Sendable {
    private let store: SQLiteStore
    private let path: String
    private let registrar: DomainEventHandlerRegistrar
    let handled = Tally()

    init(in folder: URL, handling pause: Duration? = nil) throws {
        path = folder.appending(path: "store.sqlite").path(percentEncoded: false)
        store = try SQLiteStore(path: path, entities: [])
        let services = ServiceLocator()
        services.register(handled)
        registrar = DomainEventHandlerRegistrar(resolver: services)
        registrar.register(Handle.self)
        handled.pause = pause
    }

    /// Adds `count` events to the log that were delivered long ago.
    func fill(_ count: Int) async throws {
        for start in stride(from: 0, to: count, by: 1_000) {
            try await store.commit(
                ChangeSet(events: (start..<min(count, start + 1_000)).map { RawDeliveries.event($0) })
            )
        }
    }

    /// Commits `count` events while the relay runs, and returns the events per second until all are acknowledged.
    func deliver(_ count: Int) async throws -> Double {
        try await withRelay(until: count) { try await self.commit(count) }
    }

    /// Returns the events per second of a relay that starts with `count` pending events.
    func drain(_ count: Int) async throws -> Double {
        try await withRelay(until: count) {}
    }

    /// Commits `count` events from 64 tasks, one event per commit.
    func commit(_ count: Int) async throws {
        try await withThrowingTaskGroup { group in
            for caller in 0..<64 {
                group.addTask { [store] in
                    for number in stride(from: caller, to: count, by: 64) {
                        var changes = ChangeSet(events: [RawDeliveries.event(number)])
                        changes.deliveries = [ChangeSet.NewDelivery(event: 0, subscription: "handle")]
                        try await store.commit(changes)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Runs `body` and a relay concurrently, and returns the rate at which the relay acknowledges `count` events.
    func withRelay(until count: Int, _ body: @escaping @Sendable () async throws -> Void) async throws -> Double {
        let relay = Relay(store: store, registrar: registrar)
        let target = handled.count + count
        let start = ContinuousClock.now
        let running = Task { try await relay.run() }
        try await body()
        await handled.wait(for: target)
        // The shutdown ends when the last acknowledgement is stored.
        relay.shutDown()
        try await running.value
        return Double(count) / (start.duration(to: .now) / .seconds(1))
    }

    /// Returns the size of the file after its write-ahead log was moved into it.
    func byteCount() throws -> Int {
        try RawDeliveries.checkpoint(path)
        return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
}

struct Placed: DurableDomainEvent {
    static let eventName = "placed"
    var number: Int
    var text: String
}

struct Handle: DurableDomainEventHandler {
    static let subscriptionName = "handle"

    static func handle(event: Placed, resolver: any DependencyResolver) async throws {
        let tally = resolver.resolve(Tally.self)
        if let pause = tally.pause { try await Task.sleep(for: pause) }
        tally.add()
    }
}
