// SPDX-License-Identifier: Apache-2.0

/// Code that runs around the handlers of messages of every kind.
///
/// ```swift
/// struct Announcing: Middleware {
///     nonisolated(nonsending) func handle<Message: Sendable, Output>(
///         _ message: Message,
///         in context: MessageContext,
///         next: Next<Message, Output>
///     ) async throws -> Output {
///         print("handling \(context.typeName)")
///         return try await next(message)
///     }
/// }
/// ```
///
/// The middleware registered first is the outermost: it receives a message first and its outcome last. It can refuse
/// a message by throwing an error, or call `next` once or several times.
public protocol Middleware: Sendable {
    /// Handles `message`, usually by calling `next` with it.
    ///
    /// It runs in the task and on the actor of the sender. `MessageContext.current` is `context`.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - context: The metadata of the message.
    ///   - next: The rest of the chain: the inner middleware, then the handler.
    /// - Returns: The output of `next`.
    /// - Throws: The errors of `next`, or the reason for a refusal. The sender receives the error unwrapped.
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output
}

/// The rest of the chain: the inner middleware, then the handler.
///
/// ```swift
/// let output = try await next(message)
/// ```
///
/// Call it like a function. It is a struct, because a closure would cost two more calls for each middleware. To test a
/// middleware in isolation, create a `Next` from a handler.
public struct Next<Message: Sendable, Output> {
    @usableFromInline let invocation: MiddlewareInvocation<Message, Output>

    /// Index of the next middleware; the number of middleware for the handler.
    @usableFromInline let index: Int

    /// Creates a chain without middleware, for a message with `context`.
    public init(
        in context: MessageContext,
        handler: nonisolated(nonsending) @escaping (Message) async throws -> Output
    ) {
        self.init(MiddlewareInvocation(through: [], context: context, handler: handler), from: 0)
    }

    @inlinable
    init(_ invocation: MiddlewareInvocation<Message, Output>, from index: Int) {
        self.invocation = invocation
        self.index = index
    }

    /// Handles `message` by the rest of the chain.
    ///
    /// It runs in the task and on the actor of the caller. A middleware can call it any number of times, but only
    /// until the middleware returns.
    ///
    /// - Throws: The errors of the inner middleware and the handler, unwrapped.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func callAsFunction(_ message: Message) async throws -> Output {
        guard index < invocation.middleware.count else { return try await invocation.handler(message) }
        return try await invocation.middleware[index].handle(
            message, in: invocation.context, next: Next(invocation, from: index + 1))
    }
}

/// One pass of a message through the chain: all middleware, the context, and the handler.
@usableFromInline
final class MiddlewareInvocation<Message: Sendable, Output> {
    @usableFromInline let middleware: [any Middleware]
    @usableFromInline let context: MessageContext
    @usableFromInline let handler: nonisolated(nonsending) (Message) async throws -> Output

    @inlinable
    init(
        through middleware: [any Middleware],
        context: MessageContext,
        handler: nonisolated(nonsending) @escaping (Message) async throws -> Output
    ) {
        self.middleware = middleware
        self.context = context
        self.handler = handler
    }
}

/// Middleware that has no effect inside certain other middleware, which is detected when a program is composed.
package protocol OrderSensitiveMiddleware: Middleware {
    /// Returns the middleware in `outer` inside which this middleware has no effect; `nil` if there is none.
    static func conflict(withOuter outer: ArraySlice<any Middleware.Type>) -> (any Middleware.Type)?
}

/// Middleware that rolls back everything inside it after a failure, so that no part can be retried alone.
package protocol AtomicMiddleware: Middleware {}

/// An object whose changes only an ``AtomicMiddleware`` stores, if a handler of commands receives the object from its scope.
package protocol AtomicWorkspace: AnyObject {}

extension RetryMiddleware: OrderSensitiveMiddleware {
    /// Returns the outermost atomic middleware, inside which no message is retried alone.
    package static func conflict(withOuter outer: ArraySlice<any Middleware.Type>) -> (any Middleware.Type)? {
        outer.first { $0 is any AtomicMiddleware.Type }
    }
}

/// Middleware that stores commands with an idempotency key, and therefore requires them to be `Encodable`.
///
/// It runs each command that has a key as atomic work.
package protocol KeyedMiddleware: Middleware {
    /// Whether each command of the type `command` has a key; `false` by default.
    static func alwaysHasKey(_ command: Any.Type) -> Bool
}

extension KeyedMiddleware {
    package static func alwaysHasKey(_ command: Any.Type) -> Bool { false }
}

/// Handles input from outside the program, such as an HTTP request, as the first message of a chain.
///
/// ```swift
/// let response = try await withRootMessage(request, observers: [inspector.observer]) { request in
///     try await respond(to: request)
/// }
/// ```
///
/// The root message is the cause of all messages that `handler` dispatches, so the whole chain leads back to the
/// request. The handler runs in the task and on the actor of the caller.
///
/// - Parameters:
///   - message: The input. Observers and logs show the name of its type, or the name of a ``NamedMessage``.
///   - kind: The kind of the message.
///   - middleware: The middleware around the handler, the outermost first.
///   - observers: The observers that are notified of the message.
///   - clock: The clock for the deadline and the duration of the message.
///   - handler: Handles the message.
/// - Returns: The output of `handler`.
/// - Throws: ``MessageError`` if the deadline has passed; the errors of the middleware and of `handler`, unwrapped.
public nonisolated(nonsending) func withRootMessage<Message: Sendable, Output>(
    _ message: Message,
    as kind: MessageKind = .request,
    middleware: [any Middleware] = [],
    observers: [any MessageObserver] = [],
    clock: any TimeSource = CurrentClock(),
    handler: nonisolated(nonsending) @escaping (Message) async throws -> Output
) async throws -> Output {
    let chain = MiddlewareChain(middleware: middleware, observers: observers, clock: clock)
    guard let named = message as? any NamedMessage else {
        return try await chain.run(message, kind: kind, handler: handler)
    }
    let context = MessageContext(kind: kind, type: Message.self, name: named.messageName)
    return try await chain.run(message, in: context, handler: handler)
}

/// Synchronous middleware with three methods: before the decision, before the handler, and after the handler.
///
/// ```swift
/// struct ReadOnly: ActionMiddleware {
///     func shouldExecute<Message: Sendable>(_ message: Message, in context: MessageContext) -> Bool {
///         message is any Reading
///     }
/// }
/// ```
///
/// All three methods are optional. Synchronous actions, which take effect within the call that sends them, support
/// only this kind of middleware. Other messages support it wherever they support ``Middleware``. The middleware
/// registered first is the outermost: its ``shouldExecute(_:in:)`` is called first, and its
/// ``didExecute(_:in:outcome:)`` last.
public protocol ActionMiddleware: Middleware {
    /// Returns whether `message` may be handled.
    ///
    /// If not, the caller receives a ``MessageError`` with the code `MessageError.Code.refused`.
    func shouldExecute<Message: Sendable>(_ message: Message, in context: MessageContext) -> Bool

    /// Called before `message` is handled.
    func willExecute<Message: Sendable>(_ message: Message, in context: MessageContext)

    /// Called when the handling of `message` has ended, once for each call of ``willExecute(_:in:)``.
    func didExecute<Message: Sendable>(_ message: Message, in context: MessageContext, outcome: MessageOutcome)
}

extension ActionMiddleware {
    /// Returns true.
    @inlinable
    public func shouldExecute<Message: Sendable>(_ message: Message, in context: MessageContext) -> Bool { true }

    /// Does nothing.
    @inlinable
    public func willExecute<Message: Sendable>(_ message: Message, in context: MessageContext) {}

    /// Does nothing.
    @inlinable
    public func didExecute<Message: Sendable>(
        _ message: Message,
        in context: MessageContext,
        outcome: MessageOutcome
    ) {}

    /// Calls the three methods around `next`.
    ///
    /// - Throws: ``MessageError`` with the code `MessageError.Code.refused`; the errors of `next`.
    @inlinable
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        guard shouldExecute(message, in: context) else { throw MessageError.refused(context, by: Self.self) }
        willExecute(message, in: context)
        do {
            let output = try await next(message)
            didExecute(message, in: context, outcome: .success)
            return output
        } catch {
            didExecute(message, in: context, outcome: .failure(error))
            throw error
        }
    }
}

extension MessageError {
    /// Returns the error for a message that `middleware` has refused.
    @usableFromInline
    package static func refused(_ context: MessageContext, by middleware: any ActionMiddleware.Type) -> MessageError {
        MessageError(
            code: .refused,
            message: """
                '\(context.typeName)' was refused by the middleware '\(middleware)', so it wasn't handled. \
                To fix, send it when the middleware allows it, or remove the middleware from the chain.
                """
        )
    }
}
