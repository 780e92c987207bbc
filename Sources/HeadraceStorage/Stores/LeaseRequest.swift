// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A relay's request for leases.
public struct LeaseRequest: Sendable {
    /// The subscriptions to deliver to; the store divides the lanes among them.
    public var subscriptions: [String]

    /// Maximum number of lanes.
    public var laneLimit: Int

    /// Maximum number of deliveries of one lane.
    ///
    /// If an attempt at the first delivery counts already, or its handler may have run (``Delivery/mayHaveRun``), the
    /// store leases this delivery alone. So the relay can count the next attempt before the handler runs.
    public var batchLimit: Int

    /// The current time of the relay's clock.
    public var now: Date

    /// Duration of the leases, unless they are renewed.
    public var duration: Duration

    /// The messages that the relay can handle, by subscription.
    ///
    /// A lane whose first message another relay didn't know is due at once if the message is among these.
    public var known: [String: [KnownMessage]]

    /// Creates a request.
    public init(
        subscriptions: [String],
        laneLimit: Int,
        batchLimit: Int,
        now: Date,
        duration: Duration,
        known: [String: [KnownMessage]] = [:]
    ) {
        self.subscriptions = subscriptions
        self.laneLimit = laneLimit
        self.batchLimit = batchLimit
        self.now = now
        self.duration = duration
        self.known = known
    }

    /// Throws ``StoreError`` with the code `invalidDate` if ``now`` is before 1970 or not finite.
    package func requireUsableClock() throws {
        if !now.timeIntervalSince1970.isFinite || now.milliseconds < 1 { throw StoreError.unusableClock(now) }
    }
}

/// The result of a lease request.
public struct LeasedDeliveries: Sendable {
    /// The deliveries of each lane, in order; no lane is empty.
    public var lanes: [[Delivery]]

    /// The time at which the next lane becomes due that is not among ``lanes``, if a lane waits for its time.
    ///
    /// The lanes of paused subscriptions don't count.
    public var nextDue: Date?

    /// The subscriptions of the request that are paused.
    public var paused: Set<String>

    /// Creates a result, for stores.
    public init(lanes: [[Delivery]] = [], nextDue: Date? = nil, paused: Set<String> = []) {
        self.lanes = lanes
        self.nextDue = nextDue
        self.paused = paused
    }
}
