// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceStorage

/// The deliveries of a store that aren't completed: waiting, running, scheduled, and retried ones.
///
/// ```swift
/// let pending = PendingDeliveries(in: store)
/// for delivery in try await pending.page(in: .retrying) {
///     print(delivery.subscription, delivery.attempts, delivery.nextAttempt as Any, delivery.lastFailure ?? "")
/// }
/// ```
public struct PendingDeliveries: Sendable {
    private let store: any DeliveryStore
    private let wallClock: @Sendable () -> Date

    /// Creates access to the deliveries in `store`.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - wallClock: Returns the time; `nil` for the clock of the store, or of this machine if the store has none.
    public init(in store: any DeliveryStore, wallClock: (@Sendable () -> Date)? = nil) {
        self.store = store
        self.wallClock = wallClock ?? store.relayClock
    }

    /// Returns a page of deliveries, sorted by subscription and then by the time of the next attempt.
    ///
    /// A delivery whose state changes between two pages can be on both, or on none.
    ///
    /// - Parameters:
    ///   - state: The state of the deliveries, or `nil` for all states.
    ///   - subscription: The subscription of the deliveries, or `nil` for all subscriptions.
    ///   - cursor: ``HeadraceStorage/PendingDelivery/cursor`` of the last delivery on the previous page; `nil`, the default, for
    ///     the first page.
    ///   - limit: Maximum number of deliveries.
    /// - Returns: The page; empty after the last page.
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func page(
        in state: PendingDelivery.State? = nil,
        of subscription: String? = nil,
        after cursor: PendingDelivery.Cursor? = nil,
        limit: Int = 100
    ) async throws -> [PendingDelivery] {
        try await store.pendingDeliveries(
            PendingDeliveryRequest(
                state: state, subscription: subscription, after: cursor, limit: limit, now: wallClock()))
    }

    /// Makes deliveries due at once that wait for their next attempt, and wakes relays.
    ///
    /// Their attempts stay. Deliveries that don't wait for an attempt are skipped, also scheduled messages.
    ///
    /// - Returns: Number of deliveries that will be retried.
    /// - Throws: ``HeadraceStorage/StoreError``.
    @discardableResult
    public nonisolated(nonsending) func retry(_ ids: [PendingDelivery.ID]) async throws -> Int {
        try await store.retryDeliveries(ids, now: wallClock())
    }

    /// Moves deliveries to the dead letters, so that they aren't delivered unless an operator replays them.
    ///
    /// Nothing is lost: ``DeadLetters`` replays or discards them. The next delivery of the stream is due at once. A scheduled
    /// message whose dead letter is replayed takes effect at once. Deliveries that are running are skipped.
    ///
    /// - Parameters:
    ///   - ids: The deliveries.
    ///   - reason: The reason of the dead letters.
    /// - Returns: Number of cancelled deliveries.
    /// - Throws: ``HeadraceStorage/StoreError``.
    @discardableResult
    public nonisolated(nonsending) func cancel(
        _ ids: [PendingDelivery.ID],
        reason: String = "An operator has cancelled the delivery."
    ) async throws -> Int {
        try await store.cancelDeliveries(ids, reason: reason, now: wallClock())
    }
}

/// The subscriptions of a store: lists, pauses, and resumes them.
///
/// ```swift
/// let subscriptions = Subscriptions(in: store)
/// try await subscriptions.pause("mail")
/// for subscription in try await subscriptions.all() {
///     print(subscription.name, subscription.pendingCount, subscription.pausedSince as Any)
/// }
/// try await subscriptions.resume("mail")
/// ```
///
/// A pause is stored, so it holds for all processes on the store, and lasts until ``resume(_:)``. Deliveries of a paused
/// subscription wait. Other subscriptions aren't affected.
public struct Subscriptions: Sendable {
    private let store: any DeliveryStore
    private let wallClock: @Sendable () -> Date

    /// Creates a value for the subscriptions of `store`.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - wallClock: Returns the time; `nil` for the clock of the store, or of this machine if the store has none.
    public init(in store: any DeliveryStore, wallClock: (@Sendable () -> Date)? = nil) {
        self.store = store
        self.wallClock = wallClock ?? store.relayClock
    }

    /// Returns the subscriptions that have ever had a delivery, sorted by name.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func all() async throws -> [DeliveryStatistics.Subscription] {
        try await store.deliveryStatistics().subscriptions
    }

    /// Pauses a subscription for all processes, until ``resume(_:)``; a paused subscription keeps the time of its pause.
    ///
    /// Handlers that are running end normally, and the relay stores their outcomes. Deliveries that a relay has leased but not
    /// begun are released when the relay notices the pause: at once in this process, and within
    /// ``Relay/Configuration/pollInterval`` in others, or as soon as one of its lanes ends if it holds as many as it may.
    ///
    /// Deliveries keep the order of their stream, their attempts, and the times of their retries. The name
    /// `ScheduledMessage.subscription` pauses scheduled messages and recurring schedules.
    ///
    /// - Throws: ``RelayError`` with the code `unknownSubscription` if the subscription has never had a delivery;
    ///   ``HeadraceStorage/StoreError``.
    public nonisolated(nonsending) func pause(_ name: String) async throws {
        if try await !store.pause(name, at: wallClock()) { throw try await unknown(name) }
    }

    /// Ends the pause of a subscription, and wakes relays; it does nothing if the subscription isn't paused.
    ///
    /// Deliveries whose time has come during the pause are due at once.
    ///
    /// - Throws: The same errors as ``pause(_:)``.
    public nonisolated(nonsending) func resume(_ name: String) async throws {
        if try await !store.resume(name) { throw try await unknown(name) }
    }

    private nonisolated(nonsending) func unknown(_ name: String) async throws -> RelayError {
        .unstoredSubscription(name, known: try await all().map(\.name))
    }
}
