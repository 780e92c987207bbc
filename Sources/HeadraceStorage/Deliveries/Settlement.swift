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
