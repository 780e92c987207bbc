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
