// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The outcome of the deliveries of one lease, as far as it is known.
public struct Settlement: Hashable, Sendable {
    /// A delivery that becomes a dead letter.
    public struct Failure: Hashable, Sendable {
        /// The position of the delivery in the lane.
        public let position: Int64

        /// Number of attempts.
        public let attempts: Int

        /// Why the last attempt failed.
        public let reason: String

        /// The time at which delivery was given up.
        public let date: Date

        /// Creates a failure.
        public init(position: Int64, attempts: Int, reason: String, date: Date) {
            self.position = position
            self.attempts = attempts
            self.reason = reason
            self.date = date
        }
    }

    /// How a lease ends.
    public enum End: Hashable, Sendable {
        /// The remaining deliveries of the lane may be leased at once.
        ///
        /// A delivery that was leased and remains keeps the mark that its handler may have run; see
        /// ``Delivery/mayHaveRun``.
        case finished(now: Date)

        /// The first remaining delivery has failed, and may be leased again from `at` on.
        ///
        /// `now` is the time of the relay's clock. If that clock turns out to be ahead, a store limits the wait to the
        /// interval from `now` to `at`.
        case retry(at: Date, now: Date? = nil)

        /// The handlers of the remaining deliveries haven't run, or were cancelled; the lane may be leased at once.
        case released(now: Date)

        /// The relay doesn't know the first remaining message: another relay that knows `name` and `version` may lease
        /// the lane at once, and any relay from `until` on.
        ///
        /// `since` is the time at which a relay first didn't know the message, and `now` the time of the relay's clock.
        case unknown(name: String, version: Int, since: Date, until: Date, now: Date)
    }

    /// The lease that is settled; if a later lease of the lane exists, the store refuses the whole settlement.
    public let lease: Lease

    /// The position of the first delivery of the lane that has no outcome before this settlement, as far as the relay knows;
    /// `nil` for no check.
    ///
    /// A crash of a server can lose outcomes that the relay believes stored. If the lane has a delivery at an earlier position,
    /// the store refuses the whole settlement, because later deliveries must not be settled before it. Several settlements
    /// that are stored as one name the first position of them all.
    public var firstPosition: Int64?

    /// The positions of the deliveries that were handled.
    public var acknowledged: [Int64]

    /// The deliveries to keep as dead letters.
    public var failures: [Failure]

    /// Number of attempts that count for the first remaining delivery.
    ///
    /// With `nil` the number stays, or becomes 0 if the settlement removes the first delivery. The number is a total
    /// and not an increment, so a settlement that is stored twice counts once. A relay sets it before it runs a handler
    /// that may end the process, when an attempt has failed, and when an attempt doesn't count after all.
    public var attempts: Int?

    /// How the lease ends, or `nil` if the lease continues.
    public var end: End?

    /// Why the attempt has failed, if the lease ends with a retry.
    ///
    /// The store keeps at most ``reasonLimit`` bytes of it until the delivery is removed from its lane.
    public var reason: String?

    /// Maximum number of UTF-8 bytes of a stored ``reason``: 1,000.
    public static let reasonLimit = 1_000

    /// The part of ``reason`` that a store keeps; `nil` unless the lease ends with a retry.
    public var storedReason: String? {
        guard let reason, case .retry = end else { return nil }
        if reason.utf8.count <= Self.reasonLimit { return reason }
        var rest = reason.utf8.index(reason.utf8.startIndex, offsetBy: Self.reasonLimit)
        while rest.samePosition(in: reason) == nil { rest = reason.utf8.index(before: rest) }
        return String(reason[..<rest])
    }

    /// Whether another relay may know the message that this relay leaves, so that the store must notify relays.
    package var leavesUnknown: Bool {
        if case .unknown = end { true } else { false }
    }

    /// Creates a settlement.
    public init(
        lease: Lease,
        firstPosition: Int64? = nil,
        acknowledged: [Int64] = [],
        failures: [Failure] = [],
        attempts: Int? = nil,
        end: End? = nil,
        reason: String? = nil
    ) {
        self.lease = lease
        self.firstPosition = firstPosition
        self.acknowledged = acknowledged
        self.failures = failures
        self.attempts = attempts
        self.end = end
        self.reason = reason
    }
}

/// The right to handle the next deliveries of one lane, until the lease expires or another lease of the lane is
/// granted.
///
/// A lane holds the deliveries of one stream to one subscription, in the order in which they were committed.
public struct Lease: Hashable, Sendable {
    /// The number of the lane, which a store never reuses.
    public let lane: Int64

    /// The fencing token: each lease of a lane has a greater token, and the store refuses changes under an earlier
    /// token.
    public let token: Int64

    /// Creates a lease, for stores.
    public init(lane: Int64, token: Int64) {
        self.lane = lane
        self.token = token
    }
}

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

/// A request to remove old rows from a store.
public struct PruneRequest: Sendable {
    /// Removes events recorded before this time, except pending events and dead letters; `nil` removes none.
    ///
    /// The streams of event-sourced entities are stored apart from the log, so they lose nothing.
    public var eventsBefore: Date?

    /// Removes idempotency records of commands that took effect before this time; `nil` removes none.
    public var idempotencyRecordsBefore: Date?

    /// Maximum number of rows to remove, so that other writers can commit in between.
    public var limit: Int

    /// Creates a request.
    public init(eventsBefore: Date? = nil, idempotencyRecordsBefore: Date? = nil, limit: Int = 1_000) {
        self.eventsBefore = eventsBefore
        self.idempotencyRecordsBefore = idempotencyRecordsBefore
        self.limit = limit
    }
}
