//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// Brings the events of a unit of work to whatever handles them.
///
/// ``DomainEventHandlerRegistrar`` is the one to use; write your own to record events in a test.
public protocol DomainEventDelegator: Sendable {
    /// What is told of units of work, their events and handlers, as stages of the message that is handled; nothing unless
    /// implemented.
    var observers: [any MessageObserver] { get }

    /// Handles `event` before the changes in `context` are committed.
    ///
    /// - Throws: Whatever must keep the unit of work from being committed.
    nonisolated(nonsending) func handleBeforeCommit<Context: DomainContext>(
        _ event: any DomainEvent,
        in context: Context
    ) async throws

    /// The names of the subscriptions to which a store is to deliver `event`; none unless implemented.
    ///
    /// It is asked before the commit, which stores them with the event.
    func subscriptions(to event: any DomainEvent) -> [String]

    /// Handles `event` after the changes were committed, except by the handlers of `subscriptions`, to which it is
    /// delivered; what fails must fail here, and not stop the rest.
    ///
    /// Unless implemented, it is ``handleAfterCommit(_:)``.
    nonisolated(nonsending) func handleAfterCommit(
        _ event: any DomainEvent,
        exceptFor subscriptions: [String]
    ) async

    /// Handles `event` after the changes were committed; what fails must fail here, and not stop the rest.
    nonisolated(nonsending) func handleAfterCommit(_ event: any DomainEvent) async
}

extension DomainEventDelegator {
    /// None.
    public var observers: [any MessageObserver] { [] }

    /// None.
    public func subscriptions(to event: any DomainEvent) -> [String] { [] }

    /// As ``handleAfterCommit(_:)``.
    public nonisolated(nonsending) func handleAfterCommit(
        _ event: any DomainEvent,
        exceptFor subscriptions: [String]
    ) async {
        await handleAfterCommit(event)
    }
}
