// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The delivery of one message to one subscription.
public struct Delivery: Sendable {
    /// The message that is delivered.
    public enum Content: Hashable, Sendable {
        /// An event of the log.
        case event(EventRecord)

        /// A scheduled message that is due.
        case scheduled(ScheduledMessage)

        /// The message is no longer stored.
        case missing
    }

    /// The lease under which it may be handled.
    public let lease: Lease

    /// The position in the lane, in ascending order: the position in the log for an event, less than 0 for a scheduled
    /// message.
    public let position: Int64

    /// The name of the subscription.
    public let subscription: String

    /// Number of the attempt that this lease is for, counting from 1.
    ///
    /// A lease counts no attempt. An attempt counts when a settlement says so: when it fails, or, if ``mayHaveRun`` is
    /// `true` or an earlier attempt counted, before its handler runs; see ``Settlement/attempts``.
    public let attempt: Int

    /// Whether an earlier lease of the delivery ended without an outcome, so that its handler may have run.
    ///
    /// This happens if the process was killed, perhaps by that handler, or was suspended for longer than its lease.
    public let mayHaveRun: Bool

    /// The time at which a relay first didn't know the message, or `nil`.
    public let unknownSince: Date?

    /// Whether the subscription is being replayed and has already received the event.
    public let isReplay: Bool

    /// The message.
    public let content: Content

    /// Creates a delivery, for stores.
    public init(
        lease: Lease,
        position: Int64,
        subscription: String,
        attempt: Int,
        mayHaveRun: Bool = false,
        unknownSince: Date? = nil,
        isReplay: Bool,
        content: Content
    ) {
        self.lease = lease
        self.position = position
        self.subscription = subscription
        self.attempt = attempt
        self.mayHaveRun = mayHaveRun
        self.unknownSince = unknownSince
        self.isReplay = isReplay
        self.content = content
    }
}

/// A message that could not be delivered to a subscription, kept until it is replayed or discarded.
public struct DeadLetter: Sendable {
    /// Identifier within the store; later dead letters have greater identifiers.
    public let id: Int64

    /// The subscription.
    public let subscription: String

    /// Number of attempts; 0 if delivery was given up before a handler ran.
    public let attempts: Int

    /// The reason: the error of the handler, or why no handler ran.
    public let reason: String

    /// The time at which delivery was given up, to the millisecond.
    public let date: Date

    /// The message itself, with its corrected content if ``isCorrected``.
    public let content: Delivery.Content

    /// Whether an operator has corrected the content of the message.
    ///
    /// The log has the event with its earlier content.
    public let isCorrected: Bool

    /// Creates a dead letter, for stores.
    public init(
        id: Int64,
        subscription: String,
        attempts: Int,
        reason: String,
        date: Date,
        content: Delivery.Content,
        isCorrected: Bool = false
    ) {
        self.id = id
        self.subscription = subscription
        self.attempts = attempts
        self.reason = reason
        self.date = date
        self.content = content
        self.isCorrected = isCorrected
    }
}

/// The progress of the subscriptions of a store.
public struct DeliveryStatistics: Hashable, Sendable {
    /// The progress of one subscription.
    public struct Subscription: Hashable, Sendable {
        /// The name of the subscription.
        public let name: String

        /// Number of pending deliveries, including deliveries that are being handled or are scheduled for later.
        public let pendingCount: Int

        /// The time at which the oldest pending event was recorded, if there is one; scheduled messages don't count.
        public let oldestPending: Date?

        /// Number of dead letters.
        public let deadLetterCount: Int

        /// The time of the pause, to the millisecond; `nil` if the subscription isn't paused.
        public let pausedSince: Date?

        /// Creates the statistics of a subscription, for stores.
        public init(
            name: String,
            pendingCount: Int,
            oldestPending: Date?,
            deadLetterCount: Int,
            pausedSince: Date? = nil
        ) {
            self.name = name
            self.pendingCount = pendingCount
            self.oldestPending = oldestPending
            self.deadLetterCount = deadLetterCount
            self.pausedSince = pausedSince
        }
    }

    /// The subscriptions for which the store has ever stored a delivery, sorted by name.
    public let subscriptions: [Subscription]

    /// The position of the last event of the log, or 0 if the log has never had an event.
    public let lastPosition: Int64

    /// Creates statistics, for stores.
    public init(subscriptions: [Subscription], lastPosition: Int64) {
        self.subscriptions = subscriptions
        self.lastPosition = lastPosition
    }

    /// Number of pending deliveries of all subscriptions.
    public var pendingCount: Int { subscriptions.reduce(0) { $0 + $1.pendingCount } }

    /// Number of dead letters of all subscriptions.
    public var deadLetterCount: Int { subscriptions.reduce(0) { $0 + $1.deadLetterCount } }
}
