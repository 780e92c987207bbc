// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceStorage

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
