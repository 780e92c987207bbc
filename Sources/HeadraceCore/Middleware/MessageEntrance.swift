//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Where something from outside, a request as a rule, becomes the first message of a chain.
///
/// ```swift
/// let entrance = MessageEntrance(observers: [inspector.observer])
/// let response = try await entrance.handle(request) { request in try await respond(to: request) }
/// ```
///
/// What is dispatched while it is handled is caused by it, so that the whole chain leads back to the request. It is a value, and
/// may be shared.
public struct MessageEntrance: Sendable {
    private let chain: MiddlewareChain

    /// Creates an entrance.
    ///
    /// - Parameters:
    ///   - middleware: What wraps each message, the outermost first.
    ///   - observers: What is told of each message.
    ///   - clock: Tells whether a deadline has passed, and how long a message took.
    public init(
        middleware: [any Middleware] = [],
        observers: [any MessageObserver] = [],
        clock: any TimeSource = ContinuousClock()
    ) {
        chain = MiddlewareChain(middleware: middleware, observers: observers, clock: clock)
    }

    /// Handles `message` by `handler`, in the task and on the actor of the caller.
    ///
    /// - Parameters:
    ///   - message: What came in; its type is the name under which it is seen.
    ///   - kind: What sort of message it is.
    ///   - handler: What handles it.
    /// - Returns: What `handler` returns.
    /// - Throws: ``MessageError`` where the deadline has passed; what middleware and `handler` throw, unwrapped.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        as kind: MessageKind = .request,
        by handler: nonisolated(nonsending) @escaping (Message) async throws -> Output
    ) async throws -> Output {
        try await chain.run(message, kind: kind, handler: handler)
    }
}
