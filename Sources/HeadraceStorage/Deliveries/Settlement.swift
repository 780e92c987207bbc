//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation

/// What came of the deliveries of one lease, as far as it is known.
public struct Settlement: Hashable, Sendable {
    /// A delivery that is given up.
    public struct Failure: Hashable, Sendable {
        /// Its place in the lane.
        public let position: Int64

        /// How often it was tried.
        public let attempts: Int

        /// Why the last attempt failed.
        public let reason: String

        /// When it was given up.
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
        /// The rest of the lane may be leased from now on.
        ///
        /// A delivery that was leased and is left keeps the mark that its handler may have run; see
        /// ``Delivery/mayHaveRun``.
        case finished(now: Date)

        /// The first delivery that is left has failed, and may be leased again from this time on.
        ///
        /// `now` is the time of the relay's clock. If that clock turns out to be ahead, a store shortens the wait to the
        /// time between the two.
        case retry(at: Date, now: Date? = nil)

        /// The handlers of the deliveries that are left haven't run, or were cancelled; the lane may be leased from now on.
        case released(now: Date)

        /// The relay doesn't know the first message that is left: another relay that knows `name` and `version` may lease the
        /// lane at once, and any relay from `until` on.
        ///
        /// `since` is the time at which a relay first didn't know the message, and `now` the time of the relay's clock.
        case unknown(name: String, version: Int, since: Date, until: Date, now: Date)
    }

    /// Which lease it is about; where another one was given since, the settlement is refused as a whole.
    public let lease: Lease

    /// The places of the deliveries that were handled.
    public var acknowledged: [Int64]

    /// The deliveries to keep as dead letters.
    public var failures: [Failure]

    /// Number of attempts that count for the first delivery that is left, from now on.
    ///
    /// With `nil` the number stays, or becomes 0 if the settlement removes the first delivery. It is a total and not an
    /// increment, so a settlement that is stored twice counts once. A relay states it before a handler runs that may end
    /// the process, when an attempt has failed, and when an attempt doesn't count after all.
    public var attempts: Int?

    /// How the lease ends; it goes on where it is `nil`.
    public var end: End?

    /// Whether another relay may know what this one leaves, so that the store gives its signal.
    package var leavesUnknown: Bool {
        if case .unknown = end { true } else { false }
    }

    /// Creates a settlement.
    public init(
        lease: Lease,
        acknowledged: [Int64] = [],
        failures: [Failure] = [],
        attempts: Int? = nil,
        end: End? = nil
    ) {
        self.lease = lease
        self.acknowledged = acknowledged
        self.failures = failures
        self.attempts = attempts
        self.end = end
    }
}
