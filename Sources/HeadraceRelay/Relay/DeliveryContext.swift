//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation

/// What a handler can know of the delivery that it handles.
///
/// ```swift
/// if DeliveryContext.current?.isReplay != true { try await mail.send(receipt) }
/// ```
public struct DeliveryContext: Sendable {
    /// The name of the subscription.
    public let subscription: String

    /// The identifier of the event or of the scheduled message: the same in each attempt, so fit to be an idempotency key
    /// for others.
    public let messageID: UUID

    /// Number of the attempt, counting from 1.
    ///
    /// The first attempt doesn't count if it ends with its process: the next one then has the number 1 again.
    public let attempt: Int

    /// Whether the subscription is being replayed, to make anew what it keeps: it has been given the event before.
    public let isReplay: Bool

    /// The position of the event in the log; `nil` for a scheduled message.
    public let position: Int64?

    /// When the event was recorded, or the scheduled message became due.
    public let date: Date

    /// The delivery that this task handles, or `nil` where a relay has not begun what it does.
    @TaskLocal public static var current: DeliveryContext?
}
