//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation

/// What a relay asks a store for.
public struct LeaseRequest: Sendable {
    /// The subscriptions to deliver to; a store gives each its share.
    public var subscriptions: [String]

    /// How many lanes are given at the most.
    public var laneLimit: Int

    /// How many deliveries of one lane are given at the most.
    ///
    /// If an attempt at the first delivery counts already, or its handler may have run (``Delivery/mayHaveRun``), it is
    /// given alone. So its relay can count the next attempt before the handler runs.
    public var batchLimit: Int

    /// What time it is.
    public var now: Date

    /// How long the leases are valid, unless they are renewed.
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

/// What a store has leased.
public struct LeasedDeliveries: Sendable {
    /// The deliveries of each lane, in order; no lane is empty.
    public var lanes: [[Delivery]]

    /// When the next lane that nothing was given of becomes due, if one waits for its time.
    public var nextDue: Date?

    /// Creates an answer, for stores.
    public init(lanes: [[Delivery]] = [], nextDue: Date? = nil) {
        self.lanes = lanes
        self.nextDue = nextDue
    }
}
