//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Middleware in the order registered, and the observers that watch what goes through it.
///
/// A face makes one when it is composed, and asks it ``isEmpty`` once: where it is, messages take the direct path.
@usableFromInline
package struct MiddlewareChain: Sendable {
    @usableFromInline let middleware: [any Middleware]
    @usableFromInline let observers: [any MessageObserver]
    private let clock: any TimeSource

    /// Creates a chain; `clock` tells whether a deadline has passed, and how long a message took.
    @usableFromInline
    package init(
        middleware: [any Middleware] = [],
        observers: [any MessageObserver] = [],
        clock: any TimeSource = ContinuousClock()
    ) {
        self.middleware = middleware
        self.observers = observers
        self.clock = clock
    }

    /// Returns the chain with `inner` within all of its middleware.
    package func appending(_ inner: [any Middleware]) -> MiddlewareChain {
        MiddlewareChain(middleware: middleware + inner, observers: observers, clock: clock)
    }

    /// Whether nothing would be done but to call the handler.
    package var isEmpty: Bool { middleware.isEmpty && observers.isEmpty }

    /// Handles `message` by `handler`, within all middleware, as a message of its own in the context of the task.
    ///
    /// - Throws: ``MessageError`` where the deadline has passed; what middleware and handler throw.
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

    /// Handles `message` by `handler`, within all middleware and `inner`, as a message of its own.
    ///
    /// - Throws: As of ``run(_:kind:handler:)``.
    package nonisolated(nonsending) func run<Message: Sendable, Output>(
        _ message: Message,
        kind: MessageKind,
        inner: [any Middleware],
        handler: nonisolated(nonsending) @escaping (Message) async throws -> Output
    ) async throws -> Output {
        let inner = MiddlewareChain(middleware: inner)
        return try await AmbientMessageContext.withNewMessage(kind: kind, type: Message.self) { context in
            try await observing(message, in: context) {
                try requireTime(for: context)
                return try await handle(message, in: context) { message in
                    try await inner.handle(message, in: context, handler: handler)
                }
            }
        }
    }

    /// Handles `message` by `handler`, within all middleware, as the message that `context` describes.
    ///
    /// - Throws: As of ``run(_:kind:handler:)``.
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
