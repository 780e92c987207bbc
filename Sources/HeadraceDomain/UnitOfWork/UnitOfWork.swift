//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// A piece of work on the domain whose changes and events are stored in one transaction, or not at all.
///
/// ```swift
/// let unitOfWork = UnitOfWork(delegator: registrar, context: EntityContext(store))
/// try await unitOfWork.execute { context in
///     guard let customer = try await context.find(Customer.self, id: id) else { throw Missing(id) }
///     customer.placeOrder(order)
/// }
/// ```
///
/// ``execute(_:)`` runs the body. Then it runs the pre-commit handlers of all raised events, including the events that
/// these handlers raise, until there are none. Then it commits. Then it runs the post-commit handlers, except durable
/// handlers, to which a `Relay` delivers. Everything happens in the caller's task and on the caller's actor.
public struct UnitOfWork<Context: DomainContext> {
    private let delegator: any DomainEventDelegator
    private let context: Context

    /// Creates a unit of work on `context`; `delegator` delivers its events to the handlers.
    public init(delegator: any DomainEventDelegator, context: Context) {
        self.delegator = delegator
        self.context = context
    }

    /// Runs `body` and commits its changes.
    ///
    /// Within the body of another unit of work of the same task on the same store, it joins that unit of work: `body`
    /// receives the outer context, and the outer unit of work commits.
    ///
    /// If a nested unit of work throws, the outer unit of work can only roll back, even if the error is caught. The
    /// program holds the entities that the nested unit of work has changed, so their states can't be restored. The outer
    /// unit of work then throws ``UnitOfWorkError/Code/rollbackOnly`` instead of committing, with the first error as the
    /// cause. No other unit of work can join it. If an error must not end the outer unit of work, return a
    /// value from the nested unit of work instead of throwing, or execute it outside.
    ///
    /// - Returns: The result of `body`, once the changes are stored and the post-commit handlers have run.
    /// - Throws: The error of `body` or of a pre-commit handler, unwrapped; ``UnitOfWorkError`` if the events never
    ///   end, or if a nested unit of work has failed; ``HeadraceStorage/StoreError`` if the changes can't be stored;
    ///   `CancellationError` if the task was cancelled before the commit. In each case nothing is stored, the raised
    ///   events are dropped, and the unit of work can be executed again.
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
                // The error within a cancelled task is a consequence of the cancellation.
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

    /// Returns `events` with their subscriptions if the context stores deliveries.
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
