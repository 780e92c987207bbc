//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import HeadraceCore
public import HeadraceDomain
public import HeadraceStorage
import Synchronization

#if Lifecycle
public import ServiceLifecycle
#endif

/// Delivers stored events to the ``HeadraceDomain/DurableDomainEventHandler``s of a registrar, until each has handled each of its events.
///
/// ```swift
/// let relay = Relay(store: store, registrar: registrar)
/// relay.carryOut(SendReminder.self) { try await dispatcher.dispatch($0) }
/// try await ServiceGroup(services: [server, relay], logger: logger).run()
/// ```
///
/// It is a service of swift-service-lifecycle where the trait `Lifecycle` is on: a graceful shutdown finishes what is being
/// handled and hands the rest back. Without, run it in a task of yours and call ``shutDown()``.
///
/// What it promises, and what it does not, is told in <doc:Durability>.
public final class Relay: Sendable {
    let store: any DeliveryStore
    let registrar: DomainEventHandlerRegistrar
    let configuration: Configuration
    let clock: any TimeSource
    let wallClock: @Sendable () -> Date
    let chain: MiddlewareChain
    let observers: [any RelayObserver]

    private struct State {
        var commands: [BytewiseString: CommandRoute] = [:]
        var hasRun = false
        var isShutDown = false
        var run: RelaySession?
    }

    private let state = Mutex(State())

    /// Creates a relay that delivers what `store` holds to the handlers of `registrar`.
    ///
    /// - Parameters:
    ///   - store: The store of the units of work whose events are delivered. Several relays, in one process or in many,
    ///     may work on one: they share the deliveries.
    ///   - registrar: Has the handlers; those registered once the relay runs are not delivered to.
    ///   - configuration: How it works.
    ///   - middleware: Wraps the handling of each delivery, its unit of work included. A retry does nothing here.
    ///   - observers: Are told of each delivery as a message.
    ///   - relayObservers: Are told what becomes of deliveries.
    ///   - clock: Waits.
    ///   - wallClock: Tells the time that is stored with leases; those of all processes on the store must agree about it
    ///     within a fraction of the lease's duration.
    public init(
        store: any DeliveryStore,
        registrar: DomainEventHandlerRegistrar,
        configuration: Configuration = Configuration(),
        middleware: [any Middleware] = [],
        observers: [any MessageObserver] = [],
        relayObservers: [any RelayObserver] = [],
        clock: any TimeSource = ContinuousClock(),
        wallClock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.store = store
        self.registrar = registrar
        self.configuration = configuration
        self.clock = clock
        self.wallClock = wallClock
        self.observers = relayObservers
        chain = MiddlewareChain(middleware: middleware, observers: observers, clock: clock)
    }

    /// Has scheduled commands of this type carried out by `operation`, in a unit of work on the store, which those of the
    /// command's handler join.
    ///
    /// Say it before the relay runs. A command that this relay doesn't carry out waits for a relay that does, for as long as
    /// ``Configuration/unknownEventGrace`` says, and becomes a dead letter then.
    public func carryOut<Command: DurableCommand>(
        _ type: Command.Type,
        by operation: nonisolated(nonsending) @escaping @Sendable (Command) async throws -> Void
    ) {
        state.withLock { $0.commands[BytewiseString(Command.commandName)] = CommandRoute(operation) }
    }

    /// Delivers until it is shut down, or the task is cancelled: then handlers are cancelled too.
    ///
    /// A store that fails for a while is no reason to end; the relay tries again.
    ///
    /// - Throws: ``RelayError`` where it cannot start; ``HeadraceStorage/StoreError`` with the code `schemaChanged` when another version of
    ///   the program has changed the store, so that this one must be restarted.
    public func run() async throws {
        try checkSettings()
        let run = RelaySession(self)
        try state.withLock { state in
            if state.hasRun { throw RelayError.alreadyRunning }
            state.hasRun = true
            state.run = run
            if state.isShutDown { run.close() }
        }
        defer { state.withLock { $0.run = nil } }
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

    /// Has ``run()`` end as soon as what is being handled is; what is leased and not begun is handed back.
    public func shutDown() {
        let run = state.withLock { state in
            state.isShutDown = true
            return state.run
        }
        run?.close()
    }

    /// Delivers events of the log to `subscription` once more, to make anew what its handlers keep.
    ///
    /// Its handlers, and only they, get the events that they handle in the order of the log, before any newer one of the
    /// same stream, and see ``DeliveryContext/isReplay``. Make what they keep empty first, or let them cope.
    ///
    /// - Parameters:
    ///   - subscription: The name that the handlers state.
    ///   - position: The position in the log after which it begins; 0 for all.
    /// - Returns: How many events will be delivered again.
    /// - Throws: ``RelayError`` with the code `unknownSubscription`; ``HeadraceStorage/StoreError``.
    @discardableResult
    public func replay(_ subscription: String, after position: Int64 = 0) async throws -> Int {
        let names = registrar.eventNames(of: subscription)
        if names.isEmpty {
            throw RelayError.unknownSubscription(subscription, known: registrar.subscriptionNames)
        }
        return try await store.replay(subscription, eventsNamed: names, after: position)
    }

    /// The names of the scheduled commands that are carried out.
    var commandNames: [String] {
        state.withLock { $0.commands.keys.map(\.text) }
    }

    func route(of command: String) -> CommandRoute? {
        state.withLock { $0.commands[BytewiseString(command)] }
    }

    private func checkSettings() throws {
        try registrar.validate()
        let schedule = configuration.longestRetrySchedule
        if configuration.idempotencyRetention < schedule {
            throw RelayError.retentionTooShort(configuration.idempotencyRetention, schedule: schedule)
        }
    }
}

#if Lifecycle
extension Relay: Service {}
#endif

/// How a scheduled command is carried out, whatever its type.
struct CommandRoute: Sendable {
    let type: any DurableCommand.Type
    let carryOut: nonisolated(nonsending) @Sendable (Data) async throws -> Void

    init<Command: DurableCommand>(
        _ operation: nonisolated(nonsending) @escaping @Sendable (Command) async throws -> Void
    ) {
        type = Command.self
        carryOut = { json in
            let command: Command
            do {
                command = try DocumentCoding.decode(Command.self, from: json)
            } catch {
                throw Undeliverable(reason: "'\(Command.commandName)' does not decode as '\(Command.self)': \(error)")
            }
            try await operation(command)
        }
    }
}

/// A delivery that no attempt can make succeed.
struct Undeliverable: Error {
    let reason: String
}
