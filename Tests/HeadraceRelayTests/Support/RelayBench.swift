// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Synchronization

/// A store of accounts with a durable event for each deposit, and handlers that the test scripts.
final class RelayBench: Sendable {
    let store: InMemoryStore
    let clock = TestClock()
    let registrar: DomainEventHandlerRegistrar
    let desk = Desk()
    private let start: ContinuousClock.Instant

    init() throws {
        store = try InMemoryStore(entities: [Balance.self])
        let services = ServiceLocator()
        services.register(desk)
        registrar = DomainEventHandlerRegistrar(resolver: services)
        start = clock.now
    }

    static let epoch = Date(timeIntervalSince1970: 1_700_000_000)

    /// The wall-clock time, which advances with the test clock.
    var wallClock: @Sendable () -> Date {
        { [clock, start] in Self.epoch.addingTimeInterval(start.duration(to: clock.now) / .seconds(1)) }
    }

    func relay(
        on store: (any DeliveryStore)? = nil,
        observers: [any RelayObserver] = [],
        _ configure: (inout Relay.Configuration) -> Void = { _ in }
    ) -> Relay {
        var configuration = Relay.Configuration()
        configuration.pollJitter = 0
        configure(&configuration)
        return Relay(
            store: store ?? self.store,
            registrar: registrar,
            configuration: configuration,
            relayObservers: observers + [desk],
            clock: clock,
            wallClock: wallClock
        )
    }

    /// Stores a deposit, with its event, in the stream of `account`.
    nonisolated(nonsending) func deposit(_ amounts: Int..., to account: String = "a") async throws {
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            for amount in amounts {
                let balance =
                    try await context.find(Balance.self, id: "source \(account)") ?? Balance("source \(account)")
                context.insert(balance)
                balance.raiseEvent(Deposited(account: account, amount: amount))
            }
        }
    }

    /// Advances the clock second by second, each time that the relay sleeps, until `count` lines of the desk begin with
    /// `prefix`.
    nonisolated(nonsending) func advance(until count: Int, _ prefix: String) async {
        while !Task.isCancelled, desk.lines.count(where: { $0.hasPrefix(prefix) }) < count {
            await clock.waitForSleepers(2)
            clock.advance(by: .seconds(1))
            await Task.yield()
        }
    }

    nonisolated(nonsending) func balance(_ account: String) async throws -> Int? {
        try await EntityContext(store).find(Balance.self, id: account)?.amount
    }
}

final class Balance: StoredEntity {
    static let entityName = "balance"

    let id: String
    var amount = 0
    var raisedEvents = RaisedEvents()

    init(_ id: String) {
        self.id = id
    }
}

struct Deposited: DurableDomainEvent, Equatable {
    static let eventName = "deposited"
    var account: String
    var amount: Int
}

/// Scripts the handlers, records their actions, and lets a test wait for them.
final class Desk: RelayObserver {
    typealias Script = @Sendable (String, Deposited) async throws -> Void

    private let script = Mutex<Script>({ _, _ in })
    private let notes = ConditionVariable<[String]>([])

    /// The recorded lines, in order.
    var lines: [String] { notes.value }

    /// Makes handlers run `script` with the name of their subscription.
    func script(_ script: @escaping Script) {
        self.script.withLock { $0 = script }
    }

    func perform(_ subscription: String, _ event: Deposited) async throws {
        let script = script.withLock(\.self)
        try await script(subscription, event)
        note("\(subscription) \(event.amount)")
    }

    func note(_ line: String) {
        notes.change { $0.append(line) }
    }

    /// Waits until `isDone` returns `true` for the lines.
    func wait(until isDone: @escaping @Sendable ([String]) -> Bool) async {
        await notes.wait(until: isDone)
    }

    /// Waits until there are `count` lines that begin with `prefix`.
    func wait(for count: Int = 1, _ prefix: String) async {
        await wait { $0.count { $0.hasPrefix(prefix) } >= count }
    }

    func delivered(_ delivery: Delivery) {
        note("delivered \(delivery.subscription)")
    }

    func failed(_ delivery: Delivery, _ error: any Error, retryAt date: Date) {
        note("failed \(delivery.subscription) attempt \(delivery.attempt)")
    }

    func deadLettered(_ delivery: Delivery, reason: String) {
        note("dead \(delivery.subscription) attempt \(delivery.attempt)")
    }

    func leaseLost(_ lease: Lease) {
        note("lost")
    }

    func storeFailed(_ error: any Error) {
        note("store failed")
    }
}

/// A handler that stores nothing.
struct Mail: DurableDomainEventHandler {
    static let subscriptionName = "mail"

    static func handle(event: Deposited, resolver: any DependencyResolver) async throws {
        try await resolver.resolve(Desk.self).perform("mail", event)
    }
}

/// Adds the amount to a balance, through separate units of work on the same store.
struct Book: DurableDomainEventHandler {
    static let subscriptionName = "book"

    static func handle(event: Deposited, resolver: any DependencyResolver) async throws {
        let desk = resolver.resolve(Desk.self)
        let context = resolver.resolve(EntityContext.self)
        let balance = try await context.find(Balance.self, id: event.account) ?? Balance(event.account)
        context.insert(balance)
        balance.amount += event.amount
        try await desk.perform("book", event)
    }
}
