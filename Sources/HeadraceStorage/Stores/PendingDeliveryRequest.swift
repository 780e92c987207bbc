// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A request for a page of pending deliveries.
public struct PendingDeliveryRequest: Sendable {
    /// The state of the deliveries, or `nil` for all states.
    public var state: PendingDelivery.State?

    /// The subscription of the deliveries, or `nil` for all subscriptions.
    public var subscription: String?

    /// The last delivery that the caller has seen, or `nil` for the first page.
    public var cursor: PendingDelivery.Cursor?

    /// Maximum number of deliveries.
    public var limit: Int

    /// The current time, which decides whether a lease has ended and whether a time has come.
    public var now: Date

    /// Creates a request.
    public init(
        state: PendingDelivery.State? = nil,
        subscription: String? = nil,
        after cursor: PendingDelivery.Cursor? = nil,
        limit: Int = 100,
        now: Date
    ) {
        self.state = state
        self.subscription = subscription
        self.cursor = cursor
        self.limit = limit
        self.now = now
    }

    /// The place after which the search in `subscription` begins: the time, the lane, and the position; `nil` if the
    /// subscription must not be searched.
    ///
    /// In all states except `waiting`, the lane isn't due, so the search skips the lanes that are.
    package func start(in subscription: String) -> (Int64, Int64, Int64)? {
        if let wanted = self.subscription, BytewiseString(wanted) != BytewiseString(subscription) { return nil }
        let skipsDue = state != nil && state != .waiting
        let start = skipsDue ? (now.milliseconds, Int64.max, Int64.max) : (Int64.min, Int64.min, Int64.min)
        guard let cursor else { return start }
        let (last, this) = (BytewiseString(cursor.subscription), BytewiseString(subscription))
        if this < last { return nil }
        let seen = (cursor.readyAt, cursor.id.lane, cursor.id.position)
        return this == last && start < seen ? seen : start
    }
}
