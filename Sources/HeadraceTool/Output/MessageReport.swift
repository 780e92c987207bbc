// SPDX-License-Identifier: Apache-2.0

#if Tool
import Foundation
import HeadraceStorage

/// The message of a delivery or of a dead letter.
struct MessageReport: Encodable {
    let kind: String
    let name: String
    let version: Int
    let id: UUID

    /// The position in the log, if it is an event.
    let position: Int64?

    let stream: String?

    /// The time at which an event was recorded, or at which a scheduled message was due.
    let date: Date

    /// The stored JSON, as text.
    let content: String

    /// Creates the report; `nil` if the message is no longer stored.
    init?(_ message: Delivery.Content) {
        guard let stored = message.message else { return nil }
        if case .scheduled(let scheduled) = message { kind = scheduled.kind.rawValue } else { kind = "event" }
        if case .event(let record) = message { position = record.position } else { position = nil }
        name = stored.name
        version = stored.version
        id = stored.id
        stream = stored.stream.map { "\($0)" }
        date = stored.date
        content = String(decoding: stored.json, as: UTF8.self)
    }
}
#endif
