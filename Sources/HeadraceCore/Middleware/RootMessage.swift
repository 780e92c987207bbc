// SPDX-License-Identifier: Apache-2.0

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
    clock: any TimeSource = ContinuousClock(),
    handler: nonisolated(nonsending) @escaping (Message) async throws -> Output
) async throws -> Output {
    let chain = MiddlewareChain(middleware: middleware, observers: observers, clock: clock)
    guard let named = message as? any NamedMessage else {
        return try await chain.run(message, kind: kind, handler: handler)
    }
    let context = MessageContext(kind: kind, type: Message.self, name: named.messageName)
    return try await chain.run(message, in: context, handler: handler)
}
