// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// The delivery that the current task handles, for use in a handler.
///
/// ```swift
/// if DeliveryContext.current?.isReplay != true { try await mail.send(receipt) }
/// ```
public struct DeliveryContext: Sendable {
    /// The name of the subscription.
    public let subscription: String

    /// The identifier of the event or of the scheduled message.
    ///
    /// It is the same in each attempt, so it can serve as an idempotency key for other systems.
    public let messageID: UUID

    /// Number of the attempt, counting from 1.
    ///
    /// The first attempt doesn't count if it ends with its process: then the next attempt has the number 1 again.
    public let attempt: Int

    /// Whether the subscription is being replayed and has already received the event, so that it can rebuild its data.
    public let isReplay: Bool

    /// The position of the event in the log; `nil` for a scheduled message.
    public let position: Int64?

    /// The time at which the event was recorded, or the scheduled message became due.
    public let date: Date

    /// The remark of the process that handles the delivery.
    package let remark = DeliveryRemark()

    /// The delivery that this task handles, or `nil` outside of a relay's handler.
    @TaskLocal public static var current: DeliveryContext?
}

/// The reaction of a process to a delivery, for an inspector.
package final class DeliveryRemark: Sendable {
    /// The reaction.
    package struct Content: Sendable {
        /// The name of the process.
        package let process: String

        /// The stored text of the process's key.
        ///
        /// It can be confidential.
        package let key: String

        /// The steps of the process, or the reason why it ignores the message.
        package let text: String

        /// Creates a reaction.
        package init(process: String, key: String, text: String) {
            self.process = process
            self.key = key
            self.text = text
        }
    }

    private let value = Mutex<Content?>(nil)

    package init() {}

    /// The reaction; `nil` if no process has handled the delivery.
    package var content: Content? { value.withLock { $0 } }

    /// Lets an inspector show `content` for the delivery.
    package func set(_ content: Content) {
        value.withLock { $0 = content }
    }
}
