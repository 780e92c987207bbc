//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceDomain
import Synchronization

/// A delegator that handles nothing and remembers what it was given, in order.
///
/// ```swift
/// let delegator = RecordingDelegator()
/// try await UnitOfWork(delegator: delegator, context: context).execute { $0.insert(customer) }
/// #expect(delegator.eventsAfterCommit.count == 1)
/// ```
public final class RecordingDelegator: DomainEventDelegator {
    private struct Record {
        var beforeCommit: [any DomainEvent] = []
        var afterCommit: [any DomainEvent] = []
    }

    private let record = Mutex(Record())
    private let reject: @Sendable (any DomainEvent) throws -> Void

    /// Creates a delegator that has seen nothing.
    ///
    /// - Parameter reject: Throws for an event that must keep the unit of work from being committed; for none
    ///   unless given. It runs after the event was recorded.
    public init(rejecting reject: @escaping @Sendable (any DomainEvent) throws -> Void = { _ in }) {
        self.reject = reject
    }

    /// The events that came before a commit, in that order; those of units of work that failed are among them.
    public var eventsBeforeCommit: [any DomainEvent] { record.withLock { $0.beforeCommit } }

    /// The events that came after a commit, in that order.
    public var eventsAfterCommit: [any DomainEvent] { record.withLock { $0.afterCommit } }

    /// Records `event`, then throws what rejects it.
    public nonisolated(nonsending) func handleBeforeCommit<Context: DomainContext>(
        _ event: any DomainEvent,
        in context: Context
    ) async throws {
        record.withLock { $0.beforeCommit.append(event) }
        try reject(event)
    }

    /// Records `event`.
    public nonisolated(nonsending) func handleAfterCommit(_ event: any DomainEvent) async {
        record.withLock { $0.afterCommit.append(event) }
    }
}
