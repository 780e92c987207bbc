// SPDX-License-Identifier: Apache-2.0

public import Foundation

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
