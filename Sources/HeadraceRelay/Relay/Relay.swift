// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceCore
public import HeadraceDomain
public import HeadraceStorage
import Synchronization

#if Lifecycle
public import ServiceLifecycle
#endif

/// Delivers stored events to the ``HeadraceDomain/DurableDomainEventHandler``s of a registrar, at least once.
///
/// ```swift
/// let relay = Relay(store: store, registrar: registrar)
/// relay.carryOut(SendReminder.self) { try await dispatcher.dispatch($0) }
/// try await ServiceGroup(services: [server, relay], logger: logger).run()
/// ```
///
/// With the trait `Lifecycle`, it is a service of swift-service-lifecycle: a graceful shutdown finishes the deliveries
/// that are being handled and releases the others. Without the trait, run the relay in a task and call ``shutDown()``.
///
/// <doc:Durability> lists the guarantees and their limits.
public final class Relay: Sendable {
    let store: any DeliveryStore
    let registrar: DomainEventHandlerRegistrar
    let configuration: Configuration
    let clock: any TimeSource
    let wallClock: @Sendable () -> Date
    let chain: MiddlewareChain
    let idleWaiters = IdleWaiters()

    private struct State {
        var commands: [BytewiseString: CommandRoute] = [:]
        var repeatable: [BytewiseString: RepeatableSubscription] = [:]
        var mistakes: [String] = []
        var preparations: [@Sendable () async throws -> Void] = []
        var observers: [any RelayObserver] = []
        var hasRun = false
        var isShutDown = false
        var run: RelaySession?
    }

    private let state = Mutex(State())

    /// Creates a relay that delivers the messages of `store` to the handlers of `registrar`.
    ///
    /// - Parameters:
    ///   - store: The store of the units of work whose events are delivered. Several relays, in one process or in many,
    ///     may work on one store: they share the deliveries.
    ///   - registrar: Contains the handlers. Handlers that are registered after the relay has started receive no
    ///     deliveries.
    ///   - configuration: The configuration of the relay.
    ///   - middleware: Wraps the handling of each delivery, including its unit of work. A retry does nothing here.
    ///   - observers: Are notified of each delivery as a message.
    ///   - relayObservers: Are notified of the outcome of deliveries.
    ///   - clock: The clock that the relay uses to wait.
    ///   - wallClock: Returns the time that is stored with leases; `nil` for the clock of the store, or for the clock of
    ///     this machine if the store has none. The clocks of all processes on the store must agree within a fraction of
    ///     the lease's duration.
    public init(
        store: any DeliveryStore,
        registrar: DomainEventHandlerRegistrar,
        configuration: Configuration = Configuration(),
        middleware: [any Middleware] = [],
        observers: [any MessageObserver] = [],
        relayObservers: [any RelayObserver] = [],
        clock: any TimeSource = CurrentClock(),
        wallClock: (@Sendable () -> Date)? = nil
    ) {
        self.store = store
        self.registrar = registrar
        self.configuration = configuration
        self.clock = clock
        let date = wallClock ?? store.relayClock
        self.wallClock = { date().usable }
        chain = MiddlewareChain(middleware: middleware, observers: observers, clock: clock)
        state.withLock { $0.observers = relayObservers }
    }

    /// Registers `operation` to carry out scheduled commands of this type.
    ///
    /// The operation runs in a unit of work on the store, which the units of work of the command's handler join.
    /// Register operations before the relay runs. A command that this relay doesn't carry out waits for a relay that
    /// does, for the duration of ``Configuration/unknownEventGrace``, and then becomes a dead letter. ``run()`` reports two
    /// types of one name, and migrations with a gap.
    public func carryOut<Command: DurableCommand>(
        _ type: Command.Type,
        by operation: nonisolated(nonsending) @escaping @Sendable (Command) async throws -> Void
    ) {
        carryOut(type) { command, _ in try await operation(command) }
    }

    /// Registers `operation`, which also receives the context of the unit of work.
    func carryOut<Command: DurableCommand>(
        _ type: Command.Type,
        by operation: nonisolated(nonsending) @escaping @Sendable (Command, EntityContext) async throws -> Void
    ) {
        add(CommandRoute(operation), named: Command.commandName)
    }

    /// Adds the route of the commands that are stored under `name`.
    func add(_ route: CommandRoute, named name: String) {
        state.withLock { state in
            if let other = state.commands.updateValue(route, forKey: BytewiseString(name)), other.type != route.type {
                state.mistakes.append(
                    """
                    '\(String(naming: other.type))' and '\(String(naming: route.type))' both have the commandName '\(name)'. \
                    To fix, give each type a unique name.
                    """
                )
            }
            if let mistake = route.mistake { state.mistakes.append(mistake) }
        }
    }

    /// Adds a subscription whose handlers the relay repeats at once after a conflict.
    func add(_ subscription: RepeatableSubscription, named name: String) {
        state.withLock { state in
            if let other = state.repeatable.updateValue(subscription, forKey: BytewiseString(name)),
                other.type != subscription.type
            {
                state.mistakes.append(RepeatableSubscription.mistake(other.type, subscription.type, name))
            }
        }
    }

    /// The subscriptions whose handlers the relay repeats at once after a conflict, by name.
    var repeatable: [String: RepeatableSubscription] {
        state.withLock { Dictionary(uniqueKeysWithValues: $0.repeatable.map { ($0.key.text, $0.value) }) }
    }

    /// The observers of the outcome of deliveries.
    var observers: [any RelayObserver] { state.withLock(\.observers) }

    /// Notifies `observer`, too, of the outcome of deliveries; call it before the relay runs.
    package func add(_ observer: any RelayObserver) {
        state.withLock { $0.observers.append(observer) }
    }

    /// Lets ``run()`` throw an error with `mistake`.
    func note(mistake: String) {
        state.withLock { $0.mistakes.append(mistake) }
    }

    /// Runs `operation` before the first lease; a temporary failure of the store delays the lease.
    func beforeFirstLease(_ operation: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.preparations.append(operation) }
    }

    /// Runs the operations that must precede the first lease.
    func prepare() async throws {
        for operation in state.withLock(\.preparations) { try await operation() }
    }

    /// Delivers until the relay is shut down or the task is cancelled; cancellation also cancels handlers.
    ///
    /// A temporary failure of the store doesn't end the relay, which tries again.
    ///
    /// - Throws: ``RelayError`` if the relay can't start; ``HeadraceStorage/StoreError`` with the code `schemaChanged` or
    ///   `newerSchema` if another version of the program has changed the store, so that this version must be restarted, or
    ///   `closed` if the store was closed before the relay was shut down.
    public func run() async throws {
        do {
            try checkSettings()
        } catch {
            idleWaiters.end()
            throw error
        }
        let run = RelaySession(self)
        try state.withLock { state in
            if state.hasRun { throw RelayError.alreadyRunning }
            state.hasRun = true
            state.run = run
            if state.isShutDown { run.close() }
        }
        defer {
            state.withLock { $0.run = nil }
            idleWaiters.end()
        }
        #if Lifecycle
        try await withGracefulShutdownHandler {
            try await run.perform()
        } onGracefulShutdown: {
            self.shutDown()
        }
        #else
        try await run.perform()
        #endif
    }

    /// Whether ``run()`` is running.
    public var isRunning: Bool { state.withLock { $0.run != nil } }

    /// Ends ``run()`` once the running handlers have ended; leased deliveries that no handler has begun are released.
    public func shutDown() {
        let run = state.withLock { state in
            state.isShutDown = true
            return state.run
        }
        run?.close()
    }

    /// Returns when the relay has handled all deliveries that are due, including those that their handlers have created.
    ///
    /// Deliveries that wait for their time, for a retry, for another relay, or for the end of a pause are not due. If the relay
    /// doesn't run yet, the method waits until it does. It is meant for tests and for tools; a `TestRelay` of `HeadraceTesting` also
    /// moves the time.
    ///
    /// - Throws: ``RelayError`` with the code `ended` if the relay ends before; ``HeadraceStorage/StoreError`` if the store fails
    ///   meanwhile, though the relay tries again; `CancellationError`.
    public nonisolated(nonsending) func untilIdle() async throws {
        _ = try await idle()
    }

    /// Does the same as ``untilIdle()``, and returns the time at which the next delivery becomes due, if one waits for its time.
    package nonisolated(nonsending) func idle() async throws -> Date? {
        try await idleWaiters.wait { state.withLock(\.run)?.news.notify() }
    }

    /// Delivers events of the log to `subscription` again, so that its handlers can rebuild their data.
    ///
    /// Only the handlers of the subscription receive the events, in the order of the log, before any newer event of the
    /// same stream. ``DeliveryContext/isReplay`` is `true` for them. Clear the data of the handlers first, or make the
    /// handlers ignore repeated events.
    ///
    /// - Parameters:
    ///   - subscription: The subscription name of the handlers.
    ///   - position: The position in the log after which the replay begins; 0 for all events.
    /// - Returns: Number of events that will be delivered again.
    /// - Throws: ``RelayError`` with the code `unknownSubscription`, or `notReplayable` for a ``DurableProcess``;
    ///   ``HeadraceStorage/StoreError``.
    @discardableResult
    public func replay(_ subscription: String, after position: Int64 = 0) async throws -> Int {
        let names = registrar.eventNames(of: subscription)
        if names.isEmpty {
            throw RelayError.unknownSubscription(subscription, known: registrar.subscriptionNames)
        }
        if repeatable[subscription] != nil { throw RelayError.notReplayable(subscription) }
        return try await store.replay(subscription, eventsNamed: names, after: position)
    }

    /// Whether ``replay(_:after:)`` can deliver events of `store` to `subscription`; decorators don't make a difference.
    package func canReplay(_ subscription: String, in store: any DeliveryStore) -> Bool {
        self.store.undecorated === store.undecorated && repeatable[subscription] == nil
            && !registrar.eventNames(of: subscription).isEmpty
    }

    /// The stored commands that this relay carries out, by name.
    var commands: [String: CommandRoute] {
        state.withLock { Dictionary(uniqueKeysWithValues: $0.commands.map { ($0.key.text, $0.value) }) }
    }

    func route(of command: String) -> CommandRoute? {
        state.withLock { $0.commands[BytewiseString(command)] }
    }

    private func checkSettings() throws {
        try registrar.validate()
        let shared = repeatable.sorted { $0.key < $1.key }.compactMap { name, subscription in
            subscription.mistake(named: name, handled: registrar.eventNames(of: name))
        }
        let mistakes = state.withLock(\.mistakes) + shared
        if !mistakes.isEmpty { throw RelayError.invalidDeclarations(mistakes) }
        let schedule = configuration.longestRetrySchedule
        if configuration.idempotencyRetention < schedule {
            throw RelayError.retentionTooShort(configuration.idempotencyRetention, schedule: schedule)
        }
    }
}

#if Lifecycle
extension Relay: Service {}
#endif
