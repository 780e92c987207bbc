//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What became of one delivery, as a relay has told it.
struct DeliveryNote: Sendable, Equatable, Encodable {
    /// When, in milliseconds since 1970.
    let date: Double

    /// The word for what happened: delivered, failed, dead letter.
    let outcome: String

    /// To which subscription.
    let subscription: String

    /// The stored name of the message.
    let message: String

    /// How often handling it was begun, counting from 1.
    let attempt: Int

    /// Why it failed, as far as that may be shown.
    let failure: String?

    /// When it will be tried again, in milliseconds since 1970.
    let retry: Double?
}
