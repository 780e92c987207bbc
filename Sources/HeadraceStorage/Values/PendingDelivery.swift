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

/// The stored form of the names of replayed events, while a replay isn't complete.
///
/// Both stores keep it as plain text: `x` and the bytes of a name as hexadecimal digits, joined by commas.
package enum ReplayNames {
    /// Maximum number of events that a transaction of a replay reads.
    package static let partSize = 10_000

    package static func text(of names: Set<String>) -> String {
        names.map { name in "x" + name.utf8.map(hexadecimal).joined() }.sorted().joined(separator: ",")
    }

    /// Returns the names in `text`; skips what isn't of the form.
    package static func names(in text: String) -> Set<String> {
        Set(
            text.split(separator: ",").map { part in
                let digits = Array(part.utf8.dropFirst())
                let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { start in
                    UInt8(String(decoding: digits[start...start + 1], as: UTF8.self), radix: 16)
                }
                return String(decoding: bytes, as: UTF8.self)
            })
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
}
