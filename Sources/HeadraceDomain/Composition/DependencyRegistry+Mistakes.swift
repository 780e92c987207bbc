// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
public import HeadraceResolution

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
    public func domainEvents(
        events: [any DomainEvent.Type] = [],
        handlers: [any HandlesDomainEvent.Type] = [],
        staticHandlers: [any DomainEventHandler.Type] = [],
        observers: [any MessageObserver] = []
    ) {}

    /// Explains which types each list takes.
    @available(
        *, unavailable,
        message: """
            A list contains a type that doesn't belong there. To fix, put types that conform to 'DomainEvent' into \
            'events', 'HandlesDomainEvent' into 'handlers', and 'DomainEventHandler' into 'staticHandlers'.
            """
    )
    @_documentation(visibility: internal)
    public func domainEvents(
        events: [Any.Type] = [],
        handlers: [Any.Type] = [],
        staticHandlers: [Any.Type] = [],
        observers: [any MessageObserver] = []
    ) {}
}
