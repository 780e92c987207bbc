// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
public import HeadraceStorage

/// Handles each command as one unit of work: either all its changes are stored, or none.
///
/// ```swift
/// UnitOfWorkMiddleware(on: store, delegator: registrar)
/// ```
///
/// A program that declares its domain with `domain(…)` of a `ContainerBuilder` names the type in
/// `resolvedMiddleware: [UnitOfWorkMiddleware<EntityContext>.self]` of its dispatcher.
///
/// Units of work that a handler executes on the same store join the command's unit of work, and so do commands that the
/// handler sends. There is one commit for all of them, when the first command has been handled. Queries, events, and
/// all other messages pass through.
///
/// If a command that a handler sends fails, the whole unit of work can only roll back, even if the handler catches the error;
/// see ``UnitOfWork/execute(_:)``.
///
/// Put a retry outside of this middleware, because the commit meets the conflict. Within a unit of work nothing is
/// retried, and `validate()` reports a retry at that place.
public struct UnitOfWorkMiddleware<Context: DomainContext>: Middleware, AtomicMiddleware {
    private let delegator: any DomainEventDelegator
    private let joinIdentity: ObjectIdentifier
    private let makeContext: @Sendable () -> Context

    /// Creates middleware that makes a context for each unit of work that doesn't join another unit of work.
    ///
    /// - Parameters:
    ///   - delegator: Delivers the events to the handlers.
    ///   - joinIdentity: The ``DomainContext/joinIdentity`` of the contexts, such as the identity of their store.
    ///   - makeContext: Makes a context.
    public init(
        delegator: any DomainEventDelegator,
        joinIdentity: ObjectIdentifier,
        makeContext: @escaping @Sendable () -> Context
    ) {
        self.delegator = delegator
        self.joinIdentity = joinIdentity
        self.makeContext = makeContext
    }

    /// Handles `message`, within a unit of work if the message is a command.
    ///
    /// - Throws: The error of `next`, and then nothing is stored; the errors of ``UnitOfWork/execute(_:)``.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        guard context.kind == .command else { return try await next(message) }
        return try await UnitOfWork(delegator: delegator, joinIdentity: joinIdentity, makeContext: makeContext)
            .execute { _ in try await next(message) }
    }
}

extension UnitOfWorkMiddleware where Context == EntityContext {
    /// Creates middleware that runs units of work on `store`; `delegator` delivers their events to the handlers.
    public init(on store: any EntityStore, delegator: any DomainEventDelegator) {
        self.init(delegator: delegator, joinIdentity: ObjectIdentifier(store)) { EntityContext(store) }
    }
}

extension EntityContext: AtomicWorkspace {}

extension UnitOfWork where Context == EntityContext {
    /// Creates a unit of work on `store` that makes a context each time it is executed, unless it joins another unit of
    /// work on `store`.
    public init(on store: any EntityStore, delegator: any DomainEventDelegator) {
        self.init(delegator: delegator, joinIdentity: ObjectIdentifier(store)) { EntityContext(store) }
    }
}

extension EntityContext {
    /// Returns the context of the unit of work that a unit of work on `store` would join, or a new context.
    package static func current(on store: any EntityStore) -> EntityContext {
        let running = ActiveUnitOfWork.current?.joinable(as: EntityContext.self, by: ObjectIdentifier(store))
        return running?.context ?? EntityContext(store)
    }
}

extension EntityStore {
    /// Runs `body` with a context on a snapshot of the store, which later commits don't change.
    ///
    /// ```swift
    /// let isBalanced = try await store.read { context in
    ///     let debits = try await context.fetch(Account.self, where: [.equals(.side, "debit")])
    ///     let credits = try await context.fetch(Account.self, where: [.equals(.side, "credit")])
    ///     return debits.total == credits.total
    /// }
    /// ```
    ///
    /// Use it for queries. Changes of `body` to entities are not stored, and a unit of work on the context can't be
    /// committed. Keep `body` short if the store is a file, because the file keeps overwritten data until `body` ends.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`; ``HeadraceStorage/StoreError`` if the store can't be read; `CancellationError`.
    public nonisolated(nonsending) func read<Result>(
        _ body: nonisolated(nonsending) (EntityContext) async throws -> Result
    ) async throws -> Result {
        let moment = try await ReadLog.source(of: self).snapshot()
        return try await body(EntityContext(reading: SnapshotStore(of: schema, at: moment)))
    }
}
