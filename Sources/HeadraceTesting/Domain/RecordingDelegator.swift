// SPDX-License-Identifier: Apache-2.0

public import HeadraceDomain
import Synchronization

/// A delegator that records events in order instead of passing them to handlers.
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

    /// Creates a delegator without events.
    ///
    /// - Parameter reject: Throws an error for events that must prevent the commit. It runs after the event was recorded. By
    ///   default, no event is rejected.
    public init(rejecting reject: @escaping @Sendable (any DomainEvent) throws -> Void = { _ in }) {
        self.reject = reject
    }

    /// The events before commits, in order.
    ///
    /// This includes events of units of work that failed.
    public var eventsBeforeCommit: [any DomainEvent] { record.withLock { $0.beforeCommit } }

    /// The events after commits, in order.
    public var eventsAfterCommit: [any DomainEvent] { record.withLock { $0.afterCommit } }

    /// Records `event`, and throws the error of `reject`.
    ///
    /// - Throws: The error of `reject`.
    public nonisolated(nonsending) func handleBeforeCommit<Context: DomainContext>(
        _ event: any DomainEvent,
        in context: Context
    ) async throws {
        record.withLock { $0.beforeCommit.append(event) }
        try reject(event)
    }

    /// Records `event`.
    public nonisolated(nonsending) func handleAfterCommit(
        _ event: any DomainEvent,
        exceptFor subscriptions: [String]
    ) async {
        record.withLock { $0.afterCommit.append(event) }
    }
}
