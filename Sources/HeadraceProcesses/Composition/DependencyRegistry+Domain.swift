// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceCommands
public import HeadraceCore
public import HeadraceDomain
public import HeadraceRelay
public import HeadraceResolution
public import HeadraceStorage
public import HeadraceWorkflows

extension DependencyRegistry {
    /// Registers all parts of a domain on `store`.
    ///
    /// ```swift
    /// builder.domain(
    ///     store: store,
    ///     handlers: [NotifyCustomer.self, ConfirmOrder.self]
    /// )
    /// ```
    ///
    /// Then the following types can be resolved. `any EntityStore` and `any DeliveryStore` are the store.
    /// `UnitOfWork<EntityContext>` is created each time. `EntityContext` is the context of the running unit of work of
    /// the task on the store, or a new context for reading if there is none. Singletons are the
    /// `DomainEventHandlerRegistrar` (also as `any DomainEventDelegator`), the `Relay`, which the program must run, and
    /// the middleware of the domain: `IdempotencyMiddleware` and `UnitOfWorkMiddleware<EntityContext>`. A dispatcher
    /// takes middleware by its type:
    ///
    /// ```swift
    /// builder.commandQueryDispatch().standard(
    ///     commandHandlers: [PlaceOrderHandler.self],
    ///     middleware: [RetryMiddleware()],
    ///     resolvedMiddleware: [IdempotencyMiddleware.self]
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - store: The store of the entities. It must have been opened with their types.
    ///   - events: The same as for
    ///     ``HeadraceResolution/DependencyRegistry/domainEvents(events:handlers:staticHandlers:observers:)``.
    ///   - handlers: The types whose instances handle events.
    ///   - staticHandlers: The types that handle events by a static function.
    ///   - scheduled: Commands that take effect later, each with its operation. Omit a command that a handler of the container's
    ///     dispatcher handles: the relay dispatches it.
    ///   - processes: The processes. The store must have been opened with `StoredProcess`.
    ///   - workflows: The workflows. The store must have been opened with `StoredWorkflow`.
    ///   - schedules: The recurring schedules. The store must have been opened with `StoredSchedule`.
    ///   - configuration: The configuration of the relay.
    ///   - relayMiddleware: Handles deliveries and the steps of workflows as messages, for example `MessageTracingMiddleware` with a
    ///     span for each.
    ///   - observers: Are notified of units of work, and of deliveries and steps as messages.
    ///   - relayObservers: Are notified of the outcome of deliveries.
    ///   - clock: The clock that the relay uses to wait.
    ///   - wallClock: Returns the time that decides whether a scheduled message or a retry is due, as for `Relay`.
    public func domain(
        store: any DeliveryStore,
        events: [any DomainEvent.Type] = [],
        handlers: [any (HandlesDomainEvent & Resolvable).Type] = [],
        staticHandlers: [any DomainEventHandler.Type] = [],
        scheduled: [ScheduledCommand] = [],
        processes: [any DurableProcess.Type] = [],
        workflows: [any DurableWorkflow.Type] = [],
        schedules: [RecurringSchedule] = [],
        relay configuration: Relay.Configuration = Relay.Configuration(),
        relayMiddleware: [any Middleware] = [],
        observers: [any MessageObserver] = [],
        relayObservers: [any RelayObserver] = [],
        clock: any TimeSource = CurrentClock(),
        wallClock: (@Sendable () -> Date)? = nil
    ) {
        domainEvents(
            events: events,
            handlers: handlers + processes.flatMap { $0.eventHandlers } + workflows.flatMap { $0.eventHandlers },
            staticHandlers: staticHandlers,
            observers: observers
        )
        singleton((any EntityStore).self) { store }
        singleton((any DeliveryStore).self) { store }
        transient { EntityContext.current(on: store) }
        transient(
            UnitOfWork<EntityContext>.self,
            closure(needs: (any DomainEventDelegator).self) { scope in
                UnitOfWork(on: store, delegator: scope.resolve())
            }
        )
        singleton(
            IdempotencyMiddleware.self,
            closure(needs: (any DomainEventDelegator).self) { scope in
                IdempotencyMiddleware(on: store, delegator: scope.resolve())
            }
        )
        singleton(
            UnitOfWorkMiddleware<EntityContext>.self,
            closure(needs: (any DomainEventDelegator).self) { scope in
                UnitOfWorkMiddleware(on: store, delegator: scope.resolve())
            }
        )
        var registration = Registration(
            singleton: Relay.self,
            dependencies: Dependencies().on(DomainEventHandlerRegistrar.self)
        ) { scope in
            let relay = Relay(
                store: store,
                registrar: scope.resolve(),
                configuration: configuration,
                middleware: relayMiddleware,
                observers: observers,
                relayObservers: relayObservers,
                clock: clock,
                wallClock: wallClock
            )
            for command in scheduled + handledCommands(in: scope, except: scheduled) { command.register(relay, scope) }
            for process in processes { process.register(in: relay) }
            for workflow in workflows { workflow.register(in: relay, scope) }
            ScheduleRunner(
                schedules: schedules,
                store: store,
                delegator: scope.resolve(DomainEventHandlerRegistrar.self),
                wallClock: wallClock ?? store.relayClock
            ).register(in: relay)
            return relay
        }
        registration.notes = [
            DomainDeclaration(
                entities: (schedules.isEmpty ? [] : [StoredSchedule.self])
                    + (processes.isEmpty ? [] : [StoredProcess.self])
                    + (workflows.isEmpty ? [] : [StoredWorkflow.self]),
                schema: store.schema,
                scheduled: scheduled.map(\.type),
                recurring: schedules.map(\.command)
            ),
            ProcessDeclaration(processes: processes, scheduled: scheduled),
            WorkflowDeclaration(workflows: workflows),
        ]
        register(registration)
        if !processes.isEmpty || store.schema.contains(StoredProcess.entityName) {
            transient(
                Processes.self,
                closure(needs: (any DomainEventDelegator).self) { scope in
                    Processes(on: store, delegator: scope.resolve())
                }
            )
        }
        if !workflows.isEmpty || store.schema.contains(StoredWorkflow.entityName) {
            transient(
                Workflows.self,
                closure(needs: (any DomainEventDelegator).self) { scope in
                    Workflows(on: store, delegator: scope.resolve(), wallClock: wallClock)
                }
            )
        }
        if !schedules.isEmpty || store.schema.contains(StoredSchedule.entityName) {
            transient(
                Schedules.self,
                closure(needs: (any DomainEventDelegator).self) { scope in
                    Schedules(on: store, delegator: scope.resolve(), wallClock: wallClock)
                }
            )
        }
    }
}

/// The declaration of a domain, for the validation of the graph.
private struct DomainDeclaration: RegistrationNote {
    let entities: [any StoredEntity.Type]
    let schema: EntitySchema

    /// The commands with an operation.
    let scheduled: [any DurableCommand.Type]

    /// The commands that recurring schedules send.
    let recurring: [any DurableCommand.Type]

    /// Returns a problem for each entity that the store was opened without.
    static func problems(in notes: [DomainDeclaration]) -> [CompositionProblem] {
        notes.flatMap { note in
            note.entities.filter { !$0.storedKinds.allSatisfy(note.schema.contains) }.map { entity in
                CompositionProblem(
                    .undeclaredEntity,
                    path: [entity],
                    message: """
                        The store was not opened with '\(String(naming: entity))'. To fix, add \
                        '\(String(naming: entity)).self' to the 'entities' that the store is created with.
                        """
                )
            }
        }
    }

    /// Returns a problem for each command that a schedule sends, and that has neither a handler nor an operation.
    static func unproved(in notes: [DomainDeclaration], among all: [any RegistrationNote]) -> [CompositionProblem] {
        var known = Set(notes.flatMap(\.scheduled).map { ObjectIdentifier($0) })
        known.formUnion(all.handledCommands.map { ObjectIdentifier($0) })
        return notes.flatMap(\.recurring).filter { known.insert(ObjectIdentifier($0)).inserted }.map { command in
            CompositionProblem(
                .notCarriedOut,
                path: [command],
                message: """
                    A schedule sends '\(String(naming: command))', but no relay carries it out. To fix, add its handler to \
                    'commandHandlers: […]'.
                    """
            )
        }
    }
}

extension CompositionProblem.Kind {
    /// The declaration of a process is incomplete, or contradicts another declaration.
    public static let invalidProcess = CompositionProblem.Kind("invalidProcess")
}

/// The processes of a domain, and the commands that its relay carries out, for the validation of the graph.
struct ProcessDeclaration: RegistrationNote {
    let processes: [any DurableProcess.Type]
    let scheduled: [ScheduledCommand]

    /// Returns the mistakes in the declarations of the processes.
    static func problems(in notes: [ProcessDeclaration]) -> [CompositionProblem] {
        let processes = notes.flatMap(\.processes)
        var byName: [String: any DurableProcess.Type] = [:]
        let duplicates = processes.compactMap { process -> CompositionProblem? in
            guard let other = byName.updateValue(process, forKey: process.processName) else { return nil }
            let message =
                other == process
                ? "The process '\(String(naming: process))' is declared twice. To fix, remove one from 'processes: […]'."
                : RepeatableSubscription.mistake(other, process, process.processName)
            return CompositionProblem(.invalidProcess, path: [process], message: message)
        }
        let mistakes = byName.values.sorted { $0.processName < $1.processName }.flatMap { process in
            process.mistakes.map { CompositionProblem(.invalidProcess, path: [process], message: $0) }
        }
        return duplicates + mistakes
    }

    /// Returns also each command of a process that has neither a handler nor an operation.
    static func problems(in notes: [ProcessDeclaration], among all: [any RegistrationNote]) -> [CompositionProblem] {
        let handled = Set(all.handledCommands.map { ObjectIdentifier($0) })
        // An operation that dispatches the command needs a handler, too.
        let operations = notes.flatMap(\.scheduled).filter { !$0.isDispatched }
        let carriedOut = handled.union(operations.map { ObjectIdentifier($0.type) })
        var reported: Set<ObjectIdentifier> = []
        var problems = problems(in: notes)
        for process in notes.flatMap(\.processes) {
            for command in process.commands where reported.insert(ObjectIdentifier(command)).inserted {
                if carriedOut.contains(ObjectIdentifier(command)) { continue }
                problems.append(
                    CompositionProblem(
                        .missingHandler,
                        path: [process, command],
                        message: """
                            '\(String(naming: process))' sends '\(String(naming: command))', which has no handler. To fix, add \
                            its handler to 'commandHandlers: […]', or its operation to 'scheduled: […]'.
                            """
                    )
                )
            }
        }
        return problems
    }
}

// Unavailable declarations: the compiler considers them for code that has no other meaning, and prints their messages.

extension DependencyRegistry {
    /// Explains how a handler becomes resolvable.
    @available(
        *, unavailable,
        message: """
            A handler isn't 'Resolvable', so a scope can't create it. To fix, write '@Resolvable' before each \
            handler.
            """
    )
    @_documentation(visibility: internal)
    public func domain(
        store: any DeliveryStore,
        events: [any DomainEvent.Type] = [],
        handlers: [any HandlesDomainEvent.Type] = [],
        staticHandlers: [any DomainEventHandler.Type] = [],
        scheduled: [ScheduledCommand] = [],
        processes: [any DurableProcess.Type] = [],
        workflows: [any DurableWorkflow.Type] = [],
        schedules: [RecurringSchedule] = [],
        relay configuration: Relay.Configuration = Relay.Configuration(),
        relayMiddleware: [any Middleware] = [],
        observers: [any MessageObserver] = [],
        relayObservers: [any RelayObserver] = [],
        clock: any TimeSource = CurrentClock(),
        wallClock: (@Sendable () -> Date)? = nil
    ) {}

    /// Explains which types each list takes.
    @available(
        *, unavailable,
        message: """
            A list contains a type that doesn't belong there. To fix, put types that conform to 'DomainEvent' into 'events', \
            'HandlesDomainEvent' into 'handlers', 'DomainEventHandler' into 'staticHandlers', and 'DurableProcess' into \
            'processes'.
            """
    )
    @_documentation(visibility: internal)
    public func domain(
        store: any DeliveryStore,
        events: [Any.Type] = [],
        handlers: [Any.Type] = [],
        staticHandlers: [Any.Type] = [],
        scheduled: [ScheduledCommand] = [],
        processes: [Any.Type] = [],
        workflows: [Any.Type] = [],
        schedules: [RecurringSchedule] = [],
        relay configuration: Relay.Configuration = Relay.Configuration(),
        relayMiddleware: [any Middleware] = [],
        observers: [any MessageObserver] = [],
        relayObservers: [any RelayObserver] = [],
        clock: any TimeSource = CurrentClock(),
        wallClock: (@Sendable () -> Date)? = nil
    ) {}
}
