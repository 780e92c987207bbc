// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The stored event or scheduled message of a delivery.
package struct StoredMessage: Sendable {
    /// The identifier.
    package let id: UUID

    /// The stored name of its type.
    package let name: String

    /// The version of the message's shape, counting from 1.
    package let version: Int

    /// The entity that the message belongs to, if there is one.
    package let stream: EntityReference?

    /// The time at which an event was recorded, or at which a scheduled message is due.
    package let date: Date

    /// The message as JSON, in UTF-8.
    package let json: Data

    /// The origin.
    package let origin: MessageOrigin
}

extension Delivery.Content {
    /// The message; `nil` if it is no longer stored.
    package var message: StoredMessage? {
        switch self {
        case .event(let record):
            let event = record.event
            return StoredMessage(
                id: event.id, name: event.name, version: event.version, stream: event.stream, date: event.recordedAt,
                json: event.json, origin: event.origin)
        case .scheduled(let message):
            return StoredMessage(
                id: message.id, name: message.name, version: message.version, stream: message.stream,
                date: message.dueAt, json: message.json, origin: message.origin)
        case .missing:
            return nil
        }
    }

    /// The message with the JSON of a correction; unchanged if `json` is `nil` or the message is no longer stored.
    package func corrected(to json: Data?) -> Delivery.Content {
        guard let json else { return self }
        switch self {
        case .event(let record):
            let event = record.event
            return .event(
                EventRecord(
                    position: record.position,
                    event: NewEvent(
                        id: event.id, name: event.name, version: event.version, stream: event.stream,
                        recordedAt: event.recordedAt, json: json, origin: event.origin)))
        case .scheduled(let message):
            return .scheduled(
                ScheduledMessage(
                    id: message.id, kind: message.kind, name: message.name, version: message.version,
                    stream: message.stream, dueAt: message.dueAt, json: json, origin: message.origin))
        case .missing:
            return self
        }
    }
}
