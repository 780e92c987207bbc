//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation

/// How far the subscriptions of a store have come.
public struct DeliveryStatistics: Hashable, Sendable {
    /// How far one subscription has come.
    public struct Subscription: Hashable, Sendable {
        /// Its name.
        public let name: String

        /// How many deliveries are to be made, those being handled and those scheduled for later included.
        public let pendingCount: Int

        /// When the oldest event to be delivered was recorded, if there is one; scheduled messages do not count.
        public let oldestPending: Date?

        /// How many were given up.
        public let deadLetterCount: Int

        /// Creates the description of a subscription, for stores.
        public init(name: String, pendingCount: Int, oldestPending: Date?, deadLetterCount: Int) {
            self.name = name
            self.pendingCount = pendingCount
            self.oldestPending = oldestPending
            self.deadLetterCount = deadLetterCount
        }
    }

    /// The subscriptions that the store has ever had a delivery for, sorted by name.
    public let subscriptions: [Subscription]

    /// The position of the last event of the log; 0 where there was none.
    public let lastPosition: Int64

    /// Creates statistics, for stores.
    public init(subscriptions: [Subscription], lastPosition: Int64) {
        self.subscriptions = subscriptions
        self.lastPosition = lastPosition
    }

    /// How many deliveries are to be made in all.
    public var pendingCount: Int { subscriptions.reduce(0) { $0 + $1.pendingCount } }

    /// How many were given up in all.
    public var deadLetterCount: Int { subscriptions.reduce(0) { $0 + $1.deadLetterCount } }
}
