// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadracePostgres
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import Synchronization

/// A store and its measurements.
struct Subject: Sendable {
    static let kind = "account"
    static let document = Data(#"{"id":"00000000","text":"\#(String(repeating: "d", count: 170))"}"#.utf8)
    static let event = Data(#"{"number":1,"text":"\#(String(repeating: "e", count: 175))"}"#.utf8)

    let store: PostgresStore

    init(url: String, schema: String) async throws {
        var configuration = PostgresStore.Configuration()
        configuration.schema = schema
        store = try await PostgresStore(url: url, entities: [Account.self, Written.self], configuration: configuration)
    }

    private static func change(_ key: String, version: Int) -> ChangeSet {
        let reference = EntityReference(kind: kind, key: key)
        let document = StoredDocument(reference: reference, version: version, schemaVersion: 1, json: document)
        var changes = ChangeSet(writes: [ChangeSet.Write(document: document)], events: [newEvent(of: reference)])
        changes.deliveries = [ChangeSet.NewDelivery(event: 0, subscription: "unread")]
        return changes
    }

    private static func newEvent(of stream: EntityReference) -> NewEvent {
        NewEvent(
            id: UUID(), name: Placed.eventName, version: 1, stream: stream,
            recordedAt: Date(timeIntervalSince1970: 1_700_000_000), json: event)
    }

    /// Commits from `callers` tasks for some seconds, each on its separate entities, and returns the milliseconds of each.
    func commit(callers: Int, seconds: Double, prefix: String) async throws -> [Double] {
        try await withThrowingTaskGroup(of: [Double].self) { group in
            let end = ContinuousClock.now + .seconds(seconds)
            for caller in 0..<callers {
                group.addTask {
                    var times: [Double] = []
                    var number = 0
                    while ContinuousClock.now < end {
                        let start = ContinuousClock.now
                        let key = "\(prefix)-\(caller)-\(number % 20)"
                        try await store.commit(Self.change(key, version: number / 20 + 1))
                        times.append(start.duration(to: .now) / .milliseconds(1))
                        number += 1
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// Adds `count` deliveries, each in a separate stream.
    func fill(_ count: Int, of subscription: String) async throws {
        let run = UUID()
        for start in stride(from: 0, to: count, by: 10_000) {
            var changes = ChangeSet()
            for number in start..<min(count, start + 10_000) {
                changes.events.append(Self.newEvent(of: EntityReference(kind: "order", key: "\(run) \(number)")))
                changes.deliveries.append(
                    ChangeSet.NewDelivery(event: number - start, subscription: subscription))
            }
            try await store.commit(changes)
        }
    }

    /// Adds one delivery.
    func add(to subscription: String) async throws { try await fill(1, of: subscription) }

    /// Returns a relay for one type of handler.
    func relay<Handler: DurableDomainEventHandler>(
        _ handler: Handler.Type,
        tally: Tally,
        configuration: Relay.Configuration = Relay.Configuration()
    ) -> Relay {
        let services = ServiceLocator()
        services.register(tally)
        services.register(Writing(store: store, registrar: DomainEventHandlerRegistrar(resolver: ServiceLocator())))
        let registrar = DomainEventHandlerRegistrar(resolver: services)
        registrar.register(handler)
        return Relay(store: store, registrar: registrar, configuration: configuration)
    }

    /// Handles `count` waiting deliveries and returns the deliveries per second.
    func drain<Handler: DurableDomainEventHandler>(
        _ count: Int,
        by handler: Handler.Type,
        configuration: Relay.Configuration = Relay.Configuration()
    ) async throws -> Double {
        let tally = Tally()
        let relay = relay(handler, tally: tally, configuration: configuration)
        let start = ContinuousClock.now
        let running = Task { try await relay.run() }
        await tally.wait(for: count)
        relay.shutDown()
        try await running.value
        return Double(count) / (start.duration(to: .now) / .seconds(1))
    }
}

/// The entity of the commits.
final class Account: StoredEntity {
    static let entityName = Subject.kind
    var id = ""
    var text = ""
    var raisedEvents = RaisedEvents()
}

/// An entity that a handler writes.
final class Written: StoredEntity {
    static let entityName = "written"
    let id: String
    var text = "a document of the usual size, give or take"
    var raisedEvents = RaisedEvents()

    init(_ id: String) { self.id = id }
}

struct Placed: DurableDomainEvent {
    static let eventName = "placed"
    var number: Int
    var text: String
}

/// The store and the handlers of a unit of work.
final class Writing: Sendable {
    let store: PostgresStore
    let registrar: DomainEventHandlerRegistrar

    init(store: PostgresStore, registrar: DomainEventHandlerRegistrar) {
        self.store = store
        self.registrar = registrar
    }
}

struct Count: DurableDomainEventHandler {
    static let subscriptionName = "count"

    static func handle(event: Placed, resolver: any DependencyResolver) async throws {
        resolver.resolve(Tally.self).add()
    }
}

struct Write: DurableDomainEventHandler {
    static let subscriptionName = "write"

    static func handle(event: Placed, resolver: any DependencyResolver) async throws {
        let writing = resolver.resolve(Writing.self)
        try await UnitOfWork(delegator: writing.registrar, context: EntityContext(writing.store)).execute { context in
            context.insert(Written(UUID().uuidString))
        }
        resolver.resolve(Tally.self).add()
    }
}

/// Never ends, so that the process can be killed meanwhile.
struct Hang: DurableDomainEventHandler {
    static let subscriptionName = "count"

    static func handle(event: Placed, resolver: any DependencyResolver) async throws {
        resolver.resolve(Tally.self).add()
        try await Task.sleep(for: .seconds(600))
    }
}
