// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceCore
public import HeadraceDomain
public import HeadraceResolution
public import HeadraceStorage

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
        schedules: [RecurringSchedule] = [],
        relay configuration: Relay.Configuration = Relay.Configuration(),
        observers: [any MessageObserver] = [],
        relayObservers: [any RelayObserver] = [],
        clock: any TimeSource = ContinuousClock(),
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
        schedules: [RecurringSchedule] = [],
        relay configuration: Relay.Configuration = Relay.Configuration(),
        observers: [any MessageObserver] = [],
        relayObservers: [any RelayObserver] = [],
        clock: any TimeSource = ContinuousClock(),
        wallClock: (@Sendable () -> Date)? = nil
    ) {}
}
