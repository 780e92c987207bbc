// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceCore
import HeadraceDomain
@testable import HeadracePostgres
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Synchronization

/// A store with a relay, for messages that other clients stage.
struct StagingBench {
    let schema: TestSchema
    let store: PostgresStore
    let desk: StagingDesk

    /// The deliveries to the handler that writes.
    let entries = StagingDesk()
    let registrar: DomainEventHandlerRegistrar

    /// The schema as an SQL name.
    var name: String { schema.quotedName }

    init(_ schema: TestSchema, url: String? = nil, isPooled: Bool = false) async throws {
        self.schema = schema
        var configuration = schema.configuration
        configuration.isPooled = isPooled
        store = try await PostgresStore(
            url: url ?? schema.url, entities: [Note.self, OrderBook.self], configuration: configuration)
        desk = StagingDesk()
        let services = ServiceLocator()
        services.register(desk)
        registrar = DomainEventHandlerRegistrar(resolver: services)
        registrar.register(NoteOrder.self)
        registrar.register(EnterOrder.self)
    }

    func relay(on store: (any DeliveryStore)? = nil, pollInterval: Duration = .seconds(1)) -> Relay {
        var configuration = Relay.Configuration()
        configuration.leaseDuration = .milliseconds(1_500)
        configuration.pollInterval = pollInterval
        configuration.maximumAttempts = 1_000
        configuration.backoff = Backoff(base: .milliseconds(20), longest: .milliseconds(200))
        let relay = Relay(
            store: store ?? self.store, registrar: registrar, configuration: configuration,
            relayObservers: [EntryObserver(entries: entries)])
        relay.carryOut(ChargeOrder.self) { [desk] command in desk.note("charged \(command.order)") }
        return relay
    }

    /// The call that raises the event with a number, of a stream.
    func raise(_ number: Int, of order: String) -> String {
        "SELECT \(name).raise('order-placed', '{\"order\":\"\(order)\",\"number\":\(number)}', 'order', '\(order)')"
    }

    /// The numbers of the events of a stream that took effect, in their order.
    func numbers(of order: String) async throws -> [Int] {
        try await EntityContext(store).find(OrderBook.self, id: order)?.numbers ?? []
    }

    /// Leases and acknowledges all messages, as a relay does, and returns their documents.
    func drain() async throws -> [String] {
        var documents: [String] = []
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        while true {
            let leased = try await store.lease(
                LeaseRequest(
                    subscriptions: [ScheduledMessage.subscription], laneLimit: 100, batchLimit: 100, now: now,
                    duration: .seconds(10)))
            if leased.lanes.isEmpty { return documents }
            for lane in leased.lanes {
                documents += lane.compactMap { $0.content.message.map { String(decoding: $0.json, as: UTF8.self) } }
            }
            _ = try await store.settle(
                leased.lanes.map { lane in
                    Settlement(lease: lane[0].lease, acknowledged: lane.map(\.position), end: .finished(now: now))
                })
        }
    }
}

/// Runs `body` with a bench on an empty schema.
nonisolated(nonsending) func withBench(
    _ body: nonisolated(nonsending) (StagingBench) async throws -> Void
) async throws {
    try await withSchema { schema in
        let bench = try await StagingBench(schema)
        try await body(bench)
        try bench.store.close()
    }
}

/// Collects the calls of handlers.
final class StagingDesk: Sendable {
    private struct State {
        var lines: [String] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var lines: [String] { state.withLock(\.lines) }

    func note(_ line: String) {
        let ready = state.withLock { state in
            state.lines.append(line)
            let count = state.lines.count
            defer { state.waiters.removeAll { $0.count <= count } }
            return state.waiters.filter { $0.count <= count }
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Returns when there are `count` lines.
    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.lines.count < count { state.waiters.append((count, continuation)) }
                return state.lines.count >= count
            }
            if isReady { continuation.resume() }
        }
    }
}

private struct EntryObserver: RelayObserver {
    let entries: StagingDesk

    func delivered(_ delivery: Delivery) {
        if delivery.subscription == EnterOrder.subscriptionName { entries.note("\(delivery.position)") }
    }
}

struct OrderPlaced: DurableDomainEvent {
    static let eventName = "order-placed"
    var order: String
    var number: Int
    var text: String?
}

struct ChargeOrder: DurableCommand {
    static let commandName = "charge-order"
    var order: String
}

/// The entity of the handler that writes.
final class OrderBook: StoredEntity {
    static let entityName = "order-book"

    let id: String
    var numbers: [Int] = []
    var raisedEvents = RaisedEvents()

    init(_ id: String) {
        self.id = id
    }
}

private struct NoteOrder: DurableDomainEventHandler {
    static let subscriptionName = "note-order"

    static func handle(event: OrderPlaced, resolver: any DependencyResolver) async throws {
        resolver.resolve(StagingDesk.self).note("\(event.order) \(event.number)\(event.text.map { " " + $0 } ?? "")")
    }
}

/// Takes effect exactly once for each event.
private struct EnterOrder: DurableDomainEventHandler {
    static let subscriptionName = "enter-order"

    static func handle(event: OrderPlaced, resolver: any DependencyResolver) async throws {
        let context = resolver.resolve(EntityContext.self)
        let book = try await context.find(OrderBook.self, id: event.order) ?? OrderBook(event.order)
        context.insert(book)
        book.numbers.append(event.number)
    }
}
#endif
