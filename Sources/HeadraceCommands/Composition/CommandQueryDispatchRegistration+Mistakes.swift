// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

// Unavailable declarations: the compiler considers them for code that has no other meaning, and prints their messages.

extension CommandQueryDispatchRegistration {
    /// Explains how a handler becomes resolvable.
    @available(
        *, unavailable,
        message: """
            A handler isn't 'Resolvable', so a scope can't create it. To fix, write '@Resolvable' before each \
            handler.
            """
    )
    @_documentation(visibility: internal)
    public func standard(
        commandHandlers: [any HandlesCommand.Type] = [],
        queryHandlers: [any HandlesQuery.Type] = [],
        streamHandlers: [any HandlesStreamQuery.Type] = [],
        notificationHandlers: [any HandlesNotification.Type] = [],
        messages: [any DispatchedMessage.Type] = [],
        middleware: [any Middleware] = [],
        resolvedMiddleware: [any Middleware.Type] = [],
        observers: [any MessageObserver] = [],
        scoping: DispatchScoping = .dispatcher,
        clock: any TimeSource = ContinuousClock()
    ) {}

    /// Explains which types each list takes.
    @available(
        *, unavailable,
        message: """
            A list contains a type that doesn't belong there. To fix, put types that conform to 'HandlesCommand' \
            into 'commandHandlers', 'HandlesQuery' into 'queryHandlers', 'HandlesStreamQuery' into 'streamHandlers', \
            and 'HandlesNotification' into 'notificationHandlers'.
            """
    )
    @_documentation(visibility: internal)
    public func standard(
        commandHandlers: [Any.Type] = [],
        queryHandlers: [Any.Type] = [],
        streamHandlers: [Any.Type] = [],
        notificationHandlers: [Any.Type] = [],
        messages: [any DispatchedMessage.Type] = [],
        middleware: [any Middleware] = [],
        resolvedMiddleware: [any Middleware.Type] = [],
        observers: [any MessageObserver] = [],
        scoping: DispatchScoping = .dispatcher,
        clock: any TimeSource = ContinuousClock()
    ) {}
}
