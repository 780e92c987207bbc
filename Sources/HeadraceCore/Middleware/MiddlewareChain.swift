// SPDX-License-Identifier: Apache-2.0

/// Middleware in order of registration, and the observers of the messages.
///
/// A dispatcher creates a chain when it is composed and checks ``isEmpty`` once. If the chain is empty, the
/// dispatcher calls handlers directly.
@usableFromInline
package struct MiddlewareChain: Sendable {
    @usableFromInline let middleware: [any Middleware]
    @usableFromInline let observers: [any MessageObserver]
    private let clock: any TimeSource

    /// Creates a chain; `clock` is used for deadlines and durations.
    @usableFromInline
    package init(
        middleware: [any Middleware] = [],
        observers: [any MessageObserver] = [],
        clock: any TimeSource = CurrentClock()
    ) {
        self.middleware = middleware
        self.observers = observers
        self.clock = clock
    }

    /// Returns the chain with `inner` as its innermost middleware.
    package func appending(_ inner: [any Middleware]) -> MiddlewareChain {
        MiddlewareChain(middleware: middleware + inner, observers: observers, clock: clock)
    }

    /// Whether the chain has neither middleware nor observers.
    package var isEmpty: Bool { middleware.isEmpty && observers.isEmpty }

    /// Handles `message` as a new message: calls all middleware, then `handler`.
    ///
    /// - Throws: ``MessageError`` if the deadline has passed; the errors of the middleware and the handler.
    @inlinable
    package nonisolated(nonsending) func run<Message: Sendable, Output>(
        _ message: Message,
        kind: MessageKind,
        handler: nonisolated(nonsending) @escaping (Message) async throws -> Output
    ) async throws -> Output {
        try await AmbientMessageContext.withNewMessage(kind: kind, type: Message.self) { context in
            if !observers.areListening {
                try requireTime(for: context)
                return try await handle(message, in: context, handler: handler)
            }
            return try await observing(message, in: context) {
                try requireTime(for: context)
                return try await handle(message, in: context, handler: handler)
            }
        }
    }

    /// Handles `message` as the message with `context`: calls all middleware, then `handler`.
    ///
    /// - Throws: See ``run(_:kind:handler:)``.
    package nonisolated(nonsending) func run<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        handler: nonisolated(nonsending) @escaping (Message) async throws -> Output
    ) async throws -> Output {
        try await AmbientMessageContext.withCurrent({ _ in .message(context) }) {
            try await observing(message, in: context) {
                try requireTime(for: context)
                return try await handle(message, in: context, handler: handler)
            }
        }
    }

    @inlinable @inline(__always)
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        handler: nonisolated(nonsending) @escaping (Message) async throws -> Output
    ) async throws -> Output {
        if middleware.isEmpty { return try await handler(message) }
        return try await Next(MiddlewareInvocation(through: middleware, context: context, handler: handler), from: 0)(
            message)
    }

    @usableFromInline
    func requireTime(for context: MessageContext) throws {
        guard let deadline = context.deadline else { return }
        let now = clock.now
        if now >= deadline { throw MessageError.deadlineExceeded(context, by: deadline.duration(to: now)) }
    }

    @usableFromInline
    nonisolated(nonsending) func observing<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        _ operation: nonisolated(nonsending) () async throws -> Output
    ) async throws -> Output {
        guard observers.areListening else { return try await operation() }
        let start = clock.now
        for observer in observers { observer.messageBegan(message, in: context) }
        do {
            let output = try await operation()
            let duration = start.duration(to: clock.now)
            for observer in observers { observer.messageEnded(context, outcome: .success, after: duration) }
            return output
        } catch {
            let duration = start.duration(to: clock.now)
            for observer in observers { observer.messageEnded(context, outcome: .failure(error), after: duration) }
            throw error
        }
    }
}
