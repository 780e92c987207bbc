//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// A stretch of work on the domain that is stored whole or not at all, with its events.
///
/// ```swift
/// let unitOfWork = UnitOfWork(delegator: registrar, context: EntityContext(store))
/// try await unitOfWork.execute { context in
///     guard let customer = try await context.find(Customer.self, id: id) else { throw Missing(id) }
///     customer.placeOrder(order)
/// }
/// ```
///
/// ``execute(_:)`` runs the body, then the pre-commit handlers of all events that the touched entities have
/// raised, and those of the events that these raise, until there are none; then it commits; then it runs
/// the post-commit handlers, except those to which a `Relay` delivers. Everything happens in the caller's task and on
/// the caller's actor.
public struct UnitOfWork<Context: DomainContext> {
    private let delegator: any DomainEventDelegator
    private let context: Context

    /// Creates a unit of work on `context` whose events `delegator` brings to their handlers.
    public init(delegator: any DomainEventDelegator, context: Context) {
        self.delegator = delegator
        self.context = context
    }

    /// Runs `body` and commits what it changed.
    ///
    /// Within the body of another unit of work of the same task on the same store it joins that one:
    /// `body` gets the outer context, and the outer unit of work commits.
    ///
    /// If a nested unit of work throws, the outer unit of work can only roll back, even if the error is caught. The
    /// program holds the entities that the nested unit of work has changed, so their states can't be restored. The outer
    /// unit of work then throws ``UnitOfWorkError/Code/rollbackOnly`` instead of committing, with the first error as the
    /// cause. No other unit of work can join it. If an error must not end the outer unit of work, return a
    /// value from the nested unit of work instead of throwing, or execute it outside.
    ///
    /// - Returns: What `body` returns, once the changes are stored and the post-commit handlers have run.
    /// - Throws: Whatever `body` or a pre-commit handler throws, unwrapped; ``UnitOfWorkError`` where the
    ///   events never end, or a nested unit of work has failed; ``HeadraceStorage/StoreError`` where the changes cannot be stored;
    ///   `CancellationError` where the
    ///   task was cancelled before the commit. In each case nothing is stored, the raised events are
    ///   dropped, and executing again starts afresh.
    public nonisolated(nonsending) func execute<Result>(
        _ body: nonisolated(nonsending) (Context) async throws -> Result
    ) async throws -> Result {
        if let result = try await ActiveUnitOfWork.joined(by: context, body) { return result }
        let observers = delegator.observers
        if observers.isEmpty { return try await perform(body, observers: []) }
        return try await MessageStage.run(.unitOfWork, observers: observers) {
            try await perform(body, observers: observers)
        }
    }

    private nonisolated(nonsending) func perform<Result>(
        _ body: nonisolated(nonsending) (Context) async throws -> Result,
        observers: [any MessageObserver]
    ) async throws -> Result {
        let (result, events) = try await ActiveUnitOfWork.running(on: context) { active in
            do {
                let result = try await body(context)
                // A cancelled task has failed because of that, whatever error came of it within.
                try Task.checkCancellation()
                try active.requireNoFailure()
                let events = addressed(try await handleBeforeCommit(observers))
                try Task.checkCancellation()
                try active.requireNoFailure()
                try await commit(events, observers)
                return (result, events)
            } catch {
                _ = context.takeEvents()
                context.rollback()
                throw error
            }
        }
        for collected in events {
            await delegator.handleAfterCommit(collected.event, exceptFor: collected.subscriptions)
        }
        return result
    }

    private nonisolated(nonsending) func commit(
        _ events: [CollectedEvent],
        _ observers: [any MessageObserver]
    ) async throws {
        if observers.isEmpty { return try await context.commit(events) }
        try await MessageStage.run(.commit, observers: observers) { try await context.commit(events) }
    }

    /// Gives `events` with their subscriptions, where the context stores those.
    private func addressed(_ events: [CollectedEvent]) -> [CollectedEvent] {
        if !context.storesDeliveries { return events }
        return events.map { collected in
            var addressed = collected
            addressed.subscriptions = delegator.subscriptions(to: collected.event)
            return addressed
        }
    }

    /// Runs the pre-commit handlers until no entity has an event left.
    ///
    /// - Returns: All events, in the order in which they were handled.
    private nonisolated(nonsending) func handleBeforeCommit(
        _ observers: [any MessageObserver]
    ) async throws -> [CollectedEvent] {
        var cascade = EventCascade(context.takeEvents())
        while let next = try cascade.next() {
            if observers.isEmpty {
                try await delegator.handleBeforeCommit(next.event, in: context)
            } else {
                let type = type(of: next.event)
                try await MessageStage.run(.event, type: type, event: next.event, observers: observers) {
                    try await delegator.handleBeforeCommit(next.event, in: context)
                }
            }
            cascade.append(context.takeEvents())
        }
        return cascade.events
    }
}
