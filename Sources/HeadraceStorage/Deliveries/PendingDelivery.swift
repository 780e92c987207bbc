// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A delivery that isn't completed: it waits, is being handled, or is scheduled for later.
public struct PendingDelivery: Sendable {
    /// The state of a delivery.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// It is due, or it waits for an earlier delivery of its stream.
        case waiting

        /// A relay has leased it, so its handler runs or will begin soon.
        case running

        /// It is a scheduled message whose time hasn't come.
        case scheduled

        /// An attempt has failed, and the time of the next hasn't come.
        case retrying

        /// A relay didn't know its message, so it waits for a relay that knows it.
        case unknown
    }

    /// The identity of a delivery within its store.
    public struct ID: Hashable, Sendable, LosslessStringConvertible {
        /// The number of the lane.
        public let lane: Int64

        /// The position in the lane; see ``Delivery/position``.
        public let position: Int64

        /// Creates an identity.
        public init(lane: Int64, position: Int64) {
            self.lane = lane
            self.position = position
        }

        /// Reads the form of ``description``; `nil` if `description` is malformed.
        public init?(_ description: String) {
            let parts = description.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
            guard parts.count == 2, let lane = parts[0], let position = parts[1] else { return nil }
            self.init(lane: lane, position: position)
        }

        /// The lane and the position, such as `3.14`.
        public var description: String { "\(lane).\(position)" }
    }

    /// A place in the list of pending deliveries, after which the next page begins.
    public struct Cursor: Hashable, Sendable, LosslessStringConvertible {
        package let subscription: String

        /// Milliseconds since 1970; 0 for a lane that was never leased.
        package let readyAt: Int64

        package let id: ID

        package init(subscription: String, readyAt: Int64, id: ID) {
            self.subscription = subscription
            self.readyAt = readyAt
            self.id = id
        }

        /// Reads the form of ``description``; `nil` if `description` is malformed.
        public init?(_ description: String) {
            let parts = description.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count == 4, let readyAt = Int64(parts[0]), let id = ID("\(parts[1]).\(parts[2])") else {
                return nil
            }
            self.init(subscription: String(parts[3]), readyAt: readyAt, id: id)
        }

        /// The cursor as text, for a script or a web page.
        public var description: String { "\(readyAt).\(id).\(subscription)" }
    }

    /// The identity, which stays until the delivery is completed or becomes a dead letter.
    public let id: ID

    /// The state at the time of the request.
    public let state: State

    /// The name of the subscription.
    public let subscription: String

    /// Number of attempts that count; 0 for a delivery behind another of its stream.
    public let attempts: Int

    /// Whether the subscription is being replayed and has already received the event.
    public let isReplay: Bool

    /// The error of the last attempt, at most ``Settlement/reasonLimit`` bytes of it; `nil` if no attempt has failed.
    public let lastFailure: String?

    /// The message.
    public let content: Delivery.Content

    /// The time from which the lane may be leased.
    private let readyAt: Date

    /// Creates a delivery, for stores.
    ///
    /// `readyAt` is the time from which the lane may be leased.
    public init(
        id: ID,
        state: State,
        subscription: String,
        attempts: Int,
        readyAt: Date,
        isReplay: Bool,
        lastFailure: String?,
        content: Delivery.Content
    ) {
        self.id = id
        self.state = state
        self.subscription = subscription
        self.attempts = attempts
        self.readyAt = readyAt
        self.isReplay = isReplay
        self.lastFailure = lastFailure
        self.content = content
    }

    /// The time of the next attempt; `nil` unless it is scheduled, is retried later, or is unknown.
    ///
    /// An unknown message becomes a dead letter at this time, unless a relay that knows it leases it before.
    public var nextAttempt: Date? {
        switch state {
        case .scheduled, .retrying, .unknown: readyAt
        case .waiting, .running: nil
        }
    }

    /// The time at which the lease ends unless it is renewed; `nil` unless it is running.
    public var leaseEnd: Date? { state == .running ? readyAt : nil }

    /// The place of the delivery in the list.
    public var cursor: Cursor { Cursor(subscription: subscription, readyAt: readyAt.milliseconds, id: id) }
}
