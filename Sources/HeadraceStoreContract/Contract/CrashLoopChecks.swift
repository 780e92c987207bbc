// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Synchronization

extension StoreContract {
    static let crashLoopChecks: [Check] = [
        Check("a handler that ends its process is the only dead letter among 60 streams") { fixture in
            let loop = CrashLoop(store: try await fixture.openDeliveries([Visitor.self]).store) { _, visitor in
                visitor == "visitor 20"
            }

            try await loop.perform()

            try requireEqual(loop.crowd.handled.count, 59, "the number of streams that were handled")
            let letters = try await loop.store.deadLetters(after: 0, of: nil, limit: 99)
            try requireEqual(letters.map(\.attempts), [12], "the attempts at the dead letters")
            // The first attempt isn't counted.
            try requireEqual(loop.deaths, 13, "the number of processes that ended")
            try require(
                loop.crowd.handled["visitor 20"] == nil, "the dead letter is the event whose handler ends processes")
        },
        Check("killing processes from outside uses up no attempts") { fixture in
            let store = try await fixture.openDeliveries([Visitor.self]).store
            let loop = CrashLoop(store: store) { life, _ in life <= 20 }

            try await loop.perform()

            try requireEqual(loop.deaths, 20, "the number of processes that ended")
            try requireEqual(loop.crowd.handled.count, 60, "the number of streams that were handled")
            let statistics = try await store.deliveryStatistics()
            try requireEqual(statistics.deadLetterCount, 0, "the number of dead letters")
            let attempts = loop.crowd.handled.values.max() ?? 0
            try require(attempts <= 4, "the kills are spread over all streams", "a stream has \(attempts) attempts")
        },
    ]
}

/// Delivers 60 streams with one event each, in one process after another, with 12 attempts.
private final class CrashLoop {
    let store: any DeliveryStore
    let crowd: Crowd
    private(set) var deaths = 0
    private let clock = TestClock()
    private let start: ContinuousClock.Instant

    /// Creates a loop over `store`.
    ///
    /// - Parameters:
    ///   - store: The store that outlives the processes.
    ///   - kills: Whether the process with this number, from 1 on, ends when the handler of this visitor begins.
    init(store: any DeliveryStore, kills: @escaping @Sendable (_ life: Int, _ visitor: String) -> Bool) {
        self.store = store
        start = clock.now
        crowd = Crowd(kills: kills)
    }

    nonisolated(nonsending) func perform() async throws {
        let services = ServiceLocator()
        services.register(crowd)
        let registrar = DomainEventHandlerRegistrar(resolver: services)
        registrar.register(Greet.self)
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            for number in 0..<60 {
                let visitor = Visitor("visitor \(number)")
                context.insert(visitor)
                visitor.raiseEvent(Arrived(visitor: visitor.id))
            }
        }
        var pending = 60
        while pending > 0 {
            try await live(registrar, pending)
            // Later than the leases of the killed process.
            clock.advance(by: .seconds(400))
            pending = try await store.deliveryStatistics().pendingCount
            try require(deaths < 100, "the loop ends", "\(pending) are pending after 100 processes")
        }
    }

    private nonisolated(nonsending) func live(_ registrar: DomainEventHandlerRegistrar, _ pending: Int) async throws {
        let process = FaultInjectingStore(store)
        let end = crowd.begin(process, pending)
        var configuration = Relay.Configuration()
        configuration.maximumAttempts = 12
        let relay = Relay(
            store: process,
            registrar: registrar,
            configuration: configuration,
            relayObservers: [crowd],
            clock: clock,
            wallClock: { [clock, start] in
                Date(timeIntervalSince1970: 1_700_000_000 + start.duration(to: clock.now) / .seconds(1))
            }
        )
        let running = Task { try await relay.run() }
        await end.pass()
        if crowd.isDead {
            deaths += 1
            running.cancel()
        } else {
            relay.shutDown()
        }
        try await running.value
    }
}

private final class Visitor: StoredEntity {
    static let entityName = "visitor"

    let id: String
    var raisedEvents = RaisedEvents()

    init(_ id: String) {
        self.id = id
    }
}

private struct Arrived: DurableDomainEvent {
    static let eventName = "arrived"
    var visitor: String
}

/// The handlers of all processes and the state of the current process.
private final class Crowd: RelayObserver {
    private struct State {
        var life = 0
        var process: FaultInjectingStore?
        var isDead = false
        var end = Gate()

        /// Number of deliveries that the current process still expects.
        var left = 0

        /// Number of the attempt that handled each visitor.
        var handled: [String: Int] = [:]
    }

    private let kills: @Sendable (Int, String) -> Bool
    private let state = Mutex(State())

    init(kills: @escaping @Sendable (Int, String) -> Bool) {
        self.kills = kills
    }

    var handled: [String: Int] { state.withLock { $0.handled } }
    var isDead: Bool { state.withLock { $0.isDead } }

    /// Begins a process that expects `count` deliveries.
    ///
    /// - Returns: A gate that opens after `count` deliveries or when the process dies.
    func begin(_ process: FaultInjectingStore, _ count: Int) -> Gate {
        state.withLock { state in
            state.life += 1
            state.process = process
            state.isDead = false
            state.end = Gate()
            state.left = count
            return state.end
        }
    }

    func greet(_ visitor: String, attempt: Int) async throws {
        let (isDead, end) = state.withLock { state in
            if !state.isDead, kills(state.life, visitor) {
                state.isDead = true
                state.process?.kill()
            }
            if !state.isDead { state.handled[visitor] = attempt }
            return (state.isDead, state.end)
        }
        if !isDead { return }
        end.open()
        // A dead process does nothing more.
        await untilCancelled()
        throw CancellationError()
    }

    func delivered(_ delivery: Delivery) { finishOne() }

    func deadLettered(_ delivery: Delivery, reason: String) { finishOne() }

    private func finishOne() {
        let end = state.withLock { state in
            state.left -= 1
            return state.left == 0 ? state.end : nil
        }
        end?.open()
    }
}

private struct Greet: DurableDomainEventHandler {
    static let subscriptionName = "greet"

    static func handle(event: Arrived, resolver: any DependencyResolver) async throws {
        let attempt = DeliveryContext.current?.attempt ?? 0
        try await resolver.resolve(Crowd.self).greet(event.visitor, attempt: attempt)
    }
}
