// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A durable event that will be appended to the log.
public struct NewEvent: Hashable, Sendable {
    /// Globally unique identifier of the event; a UUID of version 7.
    public let id: UUID

    /// The `DurableDomainEvent.eventName` of its type.
    public let name: String

    /// The `DurableDomainEvent.eventVersion` with which the event was written, counting from 1.
    public let version: Int

    /// The entity that raised the event, if a store keeps that entity; events of one stream keep their order.
    public let stream: EntityReference?

    /// The time at which the unit of work took the event from the entity, to the millisecond.
    public let recordedAt: Date

    /// The event as JSON, in UTF-8.
    public let json: Data

    /// The origin of the event.
    public let origin: MessageOrigin

    /// Creates an event; `recordedAt` is rounded to the millisecond.
    public init(
        id: UUID,
        name: String,
        version: Int,
        stream: EntityReference?,
        recordedAt: Date,
        json: Data,
        origin: MessageOrigin = .unknown
    ) {
        self.id = id
        self.name = name
        self.version = version
        self.stream = stream
        self.recordedAt = Date(milliseconds: recordedAt.milliseconds)
        self.json = json
        self.origin = origin
    }
}

/// A durable event in the log.
public struct EventRecord: Hashable, Sendable {
    /// The position in the log, greater than the positions of all events that were committed before.
    public let position: Int64

    /// The event.
    public let event: NewEvent

    /// Creates a record.
    public init(position: Int64, event: NewEvent) {
        self.position = position
        self.event = event
    }
}
