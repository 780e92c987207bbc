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
    package let store: any DeliveryStore
    package let registrar: DomainEventHandlerRegistrar
    package let configuration: Configuration
    package let clock: any TimeSource
    package let wallClock: @Sendable () -> Date
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
        (store.undecorated as? any TransactionalEventStore)?.deliverRaisedEvents(by: registrar)
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
    package func carryOut<Command: DurableCommand>(
        _ type: Command.Type,
        by operation: nonisolated(nonsending) @escaping @Sendable (Command, EntityContext) async throws -> Void
    ) {
        add(CommandRoute(operation), named: Command.commandName)
    }

    /// Adds the route of the commands that are stored under `name`.
    package func add(_ route: CommandRoute, named name: String) {
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
    package func add(_ subscription: RepeatableSubscription, named name: String) {
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
    package func note(mistake: String) {
        state.withLock { $0.mistakes.append(mistake) }
    }

    /// Runs `operation` before the first lease; a temporary failure of the store delays the lease.
    package func beforeFirstLease(_ operation: @escaping @Sendable () async throws -> Void) {
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
    /// - Throws: ``RelayError`` with the code `unknownSubscription`, or `notReplayable` for a ``HeadraceProcesses/DurableProcess``;
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

extension Relay {
    /// The configuration of a relay; the defaults suit everyday use.
    public struct Configuration: Sendable {
        /// Number of deliveries that are handled at the same time, each of another lane; 16 by default.
        public var concurrency = 16

        /// Maximum number of deliveries of a subscription that are handled at the same time, by subscription; empty by
        /// default.
        ///
        /// A limit protects a system that a handler calls, and keeps slow handlers of one subscription from occupying all
        /// of ``concurrency``. It holds for this relay; the relays of other processes have their own. Values below 1 count
        /// as 1.
        public var subscriptionConcurrency: [String: Int] = [:]

        /// Maximum number of leased lanes, which limits the memory use of the relay; 256 by default.
        ///
        /// It includes lanes that are being handled and lanes that wait for a handler.
        public var laneLimit = 256

        /// Maximum number of deliveries of one lane that are leased at once; 16 by default.
        public var batchLimit = 16

        /// Duration of a lease unless it is renewed, which happens three times in that time; 5 seconds by default.
        ///
        /// Another process takes over the deliveries of a killed process after this time and one ``pollInterval`` at
        /// the latest.
        public var leaseDuration: Duration = .seconds(5)

        /// Interval of checks for commits of other processes; 1 second by default.
        ///
        /// Commits of this process are noticed at once.
        public var pollInterval: Duration = .seconds(1)

        /// Maximum fraction by which ``pollInterval`` is shortened at random, from 0 to 1; 0.2 by default.
        ///
        /// The jitter keeps processes from polling all at once.
        public var pollJitter = 0.2

        /// Number of attempts before a delivery becomes a dead letter, at least 1; 26 by default.
        ///
        /// With the default ``backoff``, the last attempt is 25 to 32 hours after the first, so that an outage of a day
        /// makes no dead letters. From a quarter of the attempts on, which is about a minute after the first attempt, the
        /// relay logs each failure as a warning instead of a notice.
        ///
        /// An attempt that ends with its process counts, except for the first attempt: nothing is stored before it, so
        /// a delivery that ends the process is tried once more. With a maximum of 1, the first attempt counts too, and
        /// costs a transaction.
        public var maximumAttempts = 26

        /// Back-off between attempts; by default from 200 milliseconds to 2 hours, each three times the pause before,
        /// of which jitter removes up to a fifth.
        public var backoff = Backoff(base: .milliseconds(200), factor: 3, longest: .seconds(7_200), jitter: 0.2)

        /// Time that a message waits for a process that knows it, before it becomes a dead letter; 1 day by default.
        ///
        /// While a new version of a program is being deployed, relays of the old version meet events and versions that
        /// they don't know. They leave these messages, and the messages after them in the same stream, to relays of the
        /// new version. No attempt counts. With `.zero`, an unknown message becomes a dead letter at once.
        public var unknownEventGrace: Duration = .seconds(86_400)

        /// Time for which the outcomes of commands with idempotency keys are kept; 7 days by default.
        ///
        /// The relay doesn't start if this time is shorter than ``longestRetrySchedule``.
        public var idempotencyRetention: Duration = .seconds(7 * 86_400)

        /// Time for which events are kept after delivery to all their subscriptions, or `nil`, the default, for ever.
        public var eventRetention: Duration?

        /// Interval for removing expired events and idempotency records; 10 minutes by default.
        public var pruneInterval: Duration = .seconds(600)

        /// Creates the default configuration.
        public init() {}

        /// The longest time from the first attempt to the last attempt, if each attempt fails at once.
        ///
        /// Jitter can shorten it to the fraction 1 - ``HeadraceCore/Backoff/jitter``.
        public var longestRetrySchedule: Duration {
            (1..<max(1, maximumAttempts)).reduce(.zero) { sum, attempt in
                sum + backoff.longestPause(afterAttempt: attempt)
            }
        }
    }
}
