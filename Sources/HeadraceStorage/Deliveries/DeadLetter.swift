//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation

/// A message that a subscription could not be given: it is kept until somebody decides.
public struct DeadLetter: Sendable {
    /// Tells it from all others of the store; later ones are greater.
    public let id: Int64

    /// The subscription.
    public let subscription: String

    /// How often it was tried; 0 where it was given up before any handler.
    public let attempts: Int

    /// Why it was given up: what the handler threw, or why there was none.
    public let reason: String

    /// When it was given up, to the millisecond.
    public let date: Date

    /// The message itself.
    public let content: Delivery.Content

    /// Creates a dead letter, for stores.
    public init(
        id: Int64,
        subscription: String,
        attempts: Int,
        reason: String,
        date: Date,
        content: Delivery.Content
    ) {
        self.id = id
        self.subscription = subscription
        self.attempts = attempts
        self.reason = reason
        self.date = date
        self.content = content
    }
}
