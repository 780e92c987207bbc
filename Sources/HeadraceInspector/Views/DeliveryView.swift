// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceStorage

/// The outcome of one attempt to deliver a message, as the page shows it.
struct DeliveryView: Sendable, Equatable, Encodable {
    /// Time of the outcome, in milliseconds since 1970.
    let date: Double

    /// The outcome: `delivered`, `failed`, or `dead letter`.
    let outcome: String

    /// Name of the subscription.
    let subscription: String

    /// Stored name of the message.
    let message: String

    /// Number of the attempt, counting from 1.
    let attempt: Int

    /// The error or the reason, as far as the redaction shows it.
    let failure: String?

    /// Time of the next attempt, in milliseconds since 1970.
    let retry: Double?
}

extension Date {
    /// Time in milliseconds since 1970: the unit of all dates on the page.
    var millisecondsSince1970: Double { timeIntervalSince1970 * 1_000 }
}

extension Delivery.Content {
    /// Stored name of the message; empty if the message is no longer stored.
    var messageName: String { message?.name ?? "" }
}
