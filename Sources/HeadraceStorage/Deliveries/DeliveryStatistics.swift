// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The progress of the subscriptions of a store.
public struct DeliveryStatistics: Hashable, Sendable {
    /// The progress of one subscription.
    public struct Subscription: Hashable, Sendable {
        /// The name of the subscription.
        public let name: String

        /// Number of pending deliveries, including deliveries that are being handled or are scheduled for later.
        public let pendingCount: Int

        /// The time at which the oldest pending event was recorded, if there is one; scheduled messages don't count.
        public let oldestPending: Date?

        /// Number of dead letters.
        public let deadLetterCount: Int

        /// The time of the pause, to the millisecond; `nil` if the subscription isn't paused.
        public let pausedSince: Date?

        /// Creates the statistics of a subscription, for stores.
        public init(
            name: String,
            pendingCount: Int,
            oldestPending: Date?,
            deadLetterCount: Int,
            pausedSince: Date? = nil
        ) {
            self.name = name
            self.pendingCount = pendingCount
            self.oldestPending = oldestPending
            self.deadLetterCount = deadLetterCount
            self.pausedSince = pausedSince
        }
    }

    /// The subscriptions for which the store has ever stored a delivery, sorted by name.
    public let subscriptions: [Subscription]

    /// The position of the last event of the log, or 0 if the log has never had an event.
    public let lastPosition: Int64

    /// Creates statistics, for stores.
    public init(subscriptions: [Subscription], lastPosition: Int64) {
        self.subscriptions = subscriptions
        self.lastPosition = lastPosition
    }

    /// Number of pending deliveries of all subscriptions.
    public var pendingCount: Int { subscriptions.reduce(0) { $0 + $1.pendingCount } }

    /// Number of dead letters of all subscriptions.
    public var deadLetterCount: Int { subscriptions.reduce(0) { $0 + $1.deadLetterCount } }
}
