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
        /// What was leased has been handled; whatever else is in the lane may be leased from now on.
        case finished(now: Date)

        /// The first delivery that is left has failed, and is to be tried again no earlier than this.
        case retry(at: Date)

        /// The first delivery that is left was not begun: its attempt does not count.
        case handedBack(now: Date)
    }

    /// Which lease it is about; where another one was given since, the settlement is refused as a whole.
    public let lease: Lease

    /// The places of the deliveries that were handled.
    public var acknowledged: [Int64]

    /// The deliveries to keep as dead letters.
    public var failures: [Failure]

    /// How the lease ends; it goes on where it is `nil`.
    public var end: End?

    /// Creates a settlement.
    public init(lease: Lease, acknowledged: [Int64] = [], failures: [Failure] = [], end: End? = nil) {
        self.lease = lease
        self.acknowledged = acknowledged
        self.failures = failures
        self.end = end
    }
}
