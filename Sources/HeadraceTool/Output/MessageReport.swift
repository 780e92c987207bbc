//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
        switch message {
        case .event(let record):
            kind = "event"
            name = record.event.name
            version = record.event.version
            id = record.event.id
            position = record.position
            stream = record.event.stream.map { "\($0)" }
            date = record.event.recordedAt
            content = String(decoding: record.event.json, as: UTF8.self)
        case .scheduled(let scheduled):
            kind = scheduled.kind == .command ? "command" : "event"
            name = scheduled.name
            version = scheduled.version
            id = scheduled.id
            position = nil
            stream = scheduled.stream.map { "\($0)" }
            date = scheduled.dueAt
            content = String(decoding: scheduled.json, as: UTF8.self)
        case .missing:
            return nil
        }
    }
}
#endif
