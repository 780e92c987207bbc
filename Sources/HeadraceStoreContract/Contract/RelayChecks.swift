// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Synchronization

extension StoreContract {
    static let relayChecks: [Check] = (1...12).map { seed in
        Check("a relay that is killed and has failing handlers loses, repeats and reorders nothing, seed \(seed)") {
            fixture in
            let store = try await fixture.openDeliveries([Purse.self]).store
            let run = RelayWalk(store: store, seed: UInt64(seed))
            try await run.perform()
        }
    }
}

/// Random deposits, failures, kills and restarts, compared with a model.
///
/// The model is the sum of each purse, and the events for each handler.
private final class RelayWalk {
    private let store: any DeliveryStore
    private let seed: UInt64
    private let clock = TestClock()
    private let start: ContinuousClock.Instant
    private let sideEffects = SideEffects()
    private let registrar: DomainEventHandlerRegistrar
    private var generator: SeededGenerator
    private var expected: [String: [Int]] = [:]

    init(store: any DeliveryStore, seed: UInt64) {
        self.store = store
        self.seed = seed
        start = clock.now
        generator = SeededGenerator(seed: seed)
        let services = ServiceLocator()
        services.register(sideEffects)
        registrar = DomainEventHandlerRegistrar(resolver: services)
        registrar.register(Fill.self)
        registrar.register(Tell.self)
        registrar.register(Mix.self)
    }

    nonisolated(nonsending) func perform() async throws {
        var amount = 0
        sideEffects.failures = SeededGenerator(seed: seed &+ 1_000)
        for _ in 0..<6 {
            let failing = FaultInjectingStore(store)
            let relay = relay(on: failing)
            var isKilled = false
            let running = Task { try await relay.run() }
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                let purse = "purse \(Int.random(in: 0..<4, using: &generator))"
                amount += 1
                expected[purse, default: []].append(amount)
                try await deposit(amount, to: purse)
                clock.advance(by: .milliseconds(Int.random(in: 0...400, using: &generator)))
            }
            if Bool.random(using: &generator) {
                failing.kill()
                running.cancel()
                isKilled = true
            } else {
                relay.shutDown()
            }
            try await running.value
            if isKilled { sideEffects.noteKill() }
            // Later than the leases of killed relays, and later than all pauses.
            clock.advance(by: .seconds(400))
        }
        try await finish()
        try await check()
    }

    private func relay(on store: any DeliveryStore) -> Relay {
        var configuration = Relay.Configuration()
        configuration.pollJitter = 0
        configuration.maximumAttempts = 1_000
        configuration.backoff = Backoff(base: .milliseconds(200), longest: .seconds(300))
        configuration.batchLimit = Int.random(in: 1...4, using: &generator)
        configuration.concurrency = Int.random(in: 1...4, using: &generator)
        configuration.laneLimit = Int.random(in: 1...6, using: &generator)
        return Relay(
            store: store,
            registrar: registrar,
            configuration: configuration,
            clock: clock,
            wallClock: { [clock, start] in
                Date(timeIntervalSince1970: 1_700_000_000 + start.duration(to: clock.now) / .seconds(1))
            }
        )
    }

    private nonisolated(nonsending) func deposit(_ amount: Int, to purse: String) async throws {
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            let source = try await context.find(Purse.self, id: "source of \(purse)") ?? Purse("source of \(purse)")
            context.insert(source)
            source.raiseEvent(PurseFilled(purse: purse, amount: amount))
        }
    }

    /// Lets an undisturbed relay deliver the rest.
    private nonisolated(nonsending) func finish() async throws {
        sideEffects.failures = nil
        let relay = relay(on: store)
        let running = Task { try await relay.run() }
        while try await store.deliveryStatistics().pendingCount > 0 {
            await clock.waitForSleepers(2)
            clock.advance(by: .seconds(1))
            await Task.yield()
        }
        relay.shutDown()
        try await running.value
    }

    private nonisolated(nonsending) func check() async throws {
        let statistics = try await store.deliveryStatistics()
        try requireEqual(statistics.deadLetterCount, 0, "the number of dead letters with seed \(seed)")
        for (purse, amounts) in expected {
            for stored in [purse, "mix of \(purse)"] {
                let sum = try await EntityContext(store).find(Purse.self, id: stored)?.sum
                let parts = stored == purse ? amounts : amounts.filter { $0.isMultiple(of: 2) }
                try requireEqual(sum ?? 0, parts.reduce(0, +), "the sum of \(stored) with seed \(seed)")
            }
            for subscription in [Tell.subscriptionName, Mix.subscriptionName] {
                let told = sideEffects.told(to: subscription)
                try requireOrder(of: told, amounts, "\(subscription) of \(purse) with seed \(seed)")
            }
        }
    }

    /// Requires that `told` follows `amounts`, skips none, and ends with the last amount.
    ///
    /// After a kill, `told` may return to an earlier amount, and continues in order from there. Otherwise an older
    /// amount never follows a newer amount.
    private func requireOrder(of told: [SideEffects.Entry], _ amounts: [Int], _ subject: String) throws {
        var latest = -1
        var kills = 0
        for entry in told {
            guard let place = amounts.firstIndex(of: entry.amount) else { continue }
            try require(place <= latest + 1, "\(subject) skips nothing", "\(entry.amount) follows position \(latest)")
            try require(
                place >= latest || entry.kills > kills, "\(subject) goes back only after a kill",
                "\(entry.amount) follows position \(latest)"
            )
            (latest, kills) = (place, entry.kills)
        }
        try requireEqual(latest, amounts.count - 1, "the last position of \(subject)")
    }
}

private final class Purse: StoredEntity {
    static let entityName = "purse"

    let id: String
    var sum = 0
    var raisedEvents = RaisedEvents()

    init(_ id: String) {
        self.id = id
    }
}

private struct PurseFilled: DurableDomainEvent {
    static let eventName = "purse-filled"
    var purse: String
    var amount: Int
}

/// A handler's effect outside of the store, which fails now and then and records its calls.
private final class SideEffects: Sendable {
    private struct State {
        var failures: SeededGenerator?
        var kills = 0
        var told: [String: [Entry]] = [:]
    }

    /// An amount, and the number of relays that were killed before.
    struct Entry {
        let amount: Int
        let kills: Int
    }

    private struct Failure: Error {}

    private let state = Mutex(State())

    func told(to subscription: String) -> [Entry] { state.withLock { $0.told[subscription] ?? [] } }

    func noteKill() { state.withLock { $0.kills += 1 } }

    var failures: SeededGenerator? {
        get { state.withLock { $0.failures } }
        set { state.withLock { $0.failures = newValue } }
    }

    func fail() throws {
        let fails = state.withLock { state -> Bool in
            guard var generator = state.failures else { return false }
            defer { state.failures = generator }
            return Int.random(in: 0..<5, using: &generator) == 0
        }
        if fails { throw Failure() }
    }

    func tell(_ amount: Int, to subscription: String) {
        state.withLock { $0.told[subscription, default: []].append(Entry(amount: amount, kills: $0.kills)) }
    }
}

/// A handler that writes to the store.
private struct Fill: DurableDomainEventHandler {
    static let subscriptionName = "fill"

    static func handle(event: PurseFilled, resolver: any DependencyResolver) async throws {
        let context = resolver.resolve(EntityContext.self)
        let purse = try await context.find(Purse.self, id: event.purse) ?? Purse(event.purse)
        context.insert(purse)
        purse.sum += event.amount
        try resolver.resolve(SideEffects.self).fail()
    }
}

/// A handler that writes nothing.
private struct Tell: DurableDomainEventHandler {
    static let subscriptionName = "tell"

    static func handle(event: PurseFilled, resolver: any DependencyResolver) async throws {
        try resolver.resolve(SideEffects.self).fail()
        resolver.resolve(SideEffects.self).tell(event.amount, to: subscriptionName)
    }
}

/// A handler that writes every second time, and sometimes fails after its effect.
private struct Mix: DurableDomainEventHandler {
    static let subscriptionName = "mix"

    static func handle(event: PurseFilled, resolver: any DependencyResolver) async throws {
        let sideEffects = resolver.resolve(SideEffects.self)
        sideEffects.tell(event.amount, to: subscriptionName)
        if event.amount.isMultiple(of: 2) {
            let context = resolver.resolve(EntityContext.self)
            let id = "mix of \(event.purse)"
            let purse = try await context.find(Purse.self, id: id) ?? Purse(id)
            context.insert(purse)
            purse.sum += event.amount
        }
        try sideEffects.fail()
    }
}
