//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore
public import HeadraceStorage

/// Handles each command as one unit of work: everything it does is stored when it is handled, or nothing is.
///
/// ```swift
/// UnitOfWorkMiddleware(on: store, delegator: registrar)
/// ```
///
/// A program that declares its domain with `domain(…)` of a `ContainerBuilder` names the type in
/// `resolvedMiddleware: [UnitOfWorkMiddleware<EntityContext>.self]` of its dispatcher.
///
/// Units of work that a handler executes on the same store join it, and so do commands that it sends: one commit for
/// all of them, when the first one is handled. Queries, events and all else pass through.
///
/// If a command that a handler sends fails, the whole unit of work can only roll back, even if the handler catches the error;
/// see ``UnitOfWork/execute(_:)``.
///
/// A retry belongs before it, as it is the commit that meets the conflict; within a unit of work nothing is retried, and
/// `validate()` reports a retry that stands there.
public struct UnitOfWorkMiddleware<Context: DomainContext>: Middleware, AtomicMiddleware {
    private let delegator: any DomainEventDelegator
    private let makeContext: @Sendable () -> Context

    /// Creates middleware whose units of work are on the contexts that `makeContext` makes, a new one for each command.
    public init(delegator: any DomainEventDelegator, makeContext: @escaping @Sendable () -> Context) {
        self.delegator = delegator
        self.makeContext = makeContext
    }

    /// Handles `message`, if it is a command in a unit of work.
    ///
    /// - Throws: What `next` throws, and then nothing is stored; what ``UnitOfWork/execute(_:)`` throws.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        guard context.kind == .command else { return try await next(message) }
        return try await UnitOfWork(delegator: delegator, context: makeContext()).execute { _ in
            try await next(message)
        }
    }
}

extension UnitOfWorkMiddleware where Context == EntityContext {
    /// Creates middleware whose units of work are on `store`, their events brought to their handlers by `delegator`.
    public init(on store: any EntityStore, delegator: any DomainEventDelegator) {
        self.init(delegator: delegator) { EntityContext(store) }
    }
}
