// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// Delivers the events of a unit of work to their handlers.
///
/// Usually this is ``DomainEventHandlerRegistrar``. Write your own to record events in a test.
public protocol DomainEventDelegator: Sendable {
    /// The observers of units of work, their events, and handlers, as stages of the current message; none by default.
    var observers: [any MessageObserver] { get }

    /// Handles `event` before the changes in `context` are committed.
    ///
    /// - Throws: An error, which rolls the unit of work back.
    nonisolated(nonsending) func handleBeforeCommit<Context: DomainContext>(
        _ event: any DomainEvent,
        in context: Context
    ) async throws

    /// The names of the subscriptions to which the store must deliver `event`; none by default.
    ///
    /// The unit of work calls it before the commit, which stores the deliveries with the event.
    func subscriptions(to event: any DomainEvent) -> [String]

    /// Handles `event` after the commit, except by the handlers of `subscriptions`.
    ///
    /// A relay runs the handlers of `subscriptions`. A failing handler must not stop the others.
    nonisolated(nonsending) func handleAfterCommit(
        _ event: any DomainEvent,
        exceptFor subscriptions: [String]
    ) async
}

extension DomainEventDelegator {
    /// No observers.
    public var observers: [any MessageObserver] { [] }

    /// No subscriptions.
    public func subscriptions(to event: any DomainEvent) -> [String] { [] }
}
