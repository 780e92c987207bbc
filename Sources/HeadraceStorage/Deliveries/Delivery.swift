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
