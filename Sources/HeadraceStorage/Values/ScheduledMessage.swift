// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A command or an event that takes effect at a later time.
public struct ScheduledMessage: Hashable, Sendable {
    /// The kind of a scheduled message.
    public enum Kind: String, Hashable, Sendable {
        /// A command: the relay runs the operation that is registered for it.
        case command

        /// An event: the relay raises it at its time, and it is handled like any other event.
        case event
    }

    /// Globally unique identifier of the message, also used to cancel it; a UUID of version 7.
    public let id: UUID

    /// The kind of the message.
    public let kind: Kind

    /// The stored name of its type.
    public let name: String

    /// The version of the message's shape, counting from 1.
    public let version: Int

    /// The entity that the event belongs to, if there is one.
    public let stream: EntityReference?

    /// The time at which the message takes effect, to the millisecond.
    public let dueAt: Date

    /// The message as JSON, in UTF-8.
    public let json: Data

    /// The origin of the message.
    public let origin: MessageOrigin

    /// The time of scheduling if ``dueAt`` counts from it; `nil` if ``dueAt`` is a date that doesn't depend on a clock.
    ///
    /// A store waits from its time of leasing on, for as long as from here to ``dueAt``, if the clock that scheduled the message was
    /// ahead by more than the duration of a lease. Messages that a store returns don't have it.
    public let since: Date?

    /// Creates a message; both dates are rounded to the millisecond.
    public init(
        id: UUID,
        kind: Kind,
        name: String,
        version: Int,
        stream: EntityReference? = nil,
        dueAt: Date,
        json: Data,
        origin: MessageOrigin = .unknown,
        since: Date? = nil
    ) {
        self.id = id
        self.kind = kind
        self.name = name
        self.version = version
        self.stream = stream
        self.dueAt = Date(milliseconds: dueAt.milliseconds)
        self.json = json
        self.origin = origin
        self.since = since.map { Date(milliseconds: $0.milliseconds) }
    }

    /// The name of the subscription for scheduled messages, which no handler may use.
    public static let subscription = "headrace.scheduled"
}

extension Date {
    /// Milliseconds since 1970, rounded; clamped to the range of `Int64`, and 0 if the value is not a number.
    package var milliseconds: Int64 {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        if milliseconds.isNaN { return 0 }
        if milliseconds >= 0x1p62 { return 1 << 62 }
        if milliseconds <= -0x1p62 { return -1 << 62 }
        return Int64(milliseconds)
    }

    package init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// The date to the millisecond, as a store compares it with the times of messages.
    ///
    /// A store refuses a time before 1970. The time of a clock before 1970 becomes a time in the year after, which ascends in the
    /// same way, so that leases and retries end although the clock is wrong. No date that was given is reached. A time that isn't
    /// finite becomes the begin of 1970.
    package var usable: Date {
        if !timeIntervalSince1970.isFinite { return Date(milliseconds: 0) }
        let milliseconds = milliseconds
        if milliseconds >= 0 { return Date(milliseconds: milliseconds) }
        let year = Self.usableAgain.milliseconds
        return Date(milliseconds: (milliseconds % year + year) % year)
    }

    /// The end of the year in which ``usable`` places the times of a clock before 1970.
    package static let usableAgain = Date(milliseconds: 365 * 86_400_000)

    package func advanced(by duration: Duration) -> Date {
        addingTimeInterval(duration / .seconds(1))
    }
}

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
