// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceCore

/// The origin of a stored message: its cause, its principal, and its trace.
///
/// It is taken from the `MessageContext` of the task that stores the message, and restored around the handlers of the
/// message. So logs, messages, and changes of the handlers belong to the same chain, even after a restart or in another
/// process.
public struct MessageOrigin: Hashable, Sendable, Codable {
    /// The message that was being handled when this message was stored, if there was one.
    public var causationID: UUID?

    /// The first message of the chain, if there is an earlier message.
    public var correlationID: UUID?

    /// The ``HeadraceCore/Principal/principalID`` of the message, if a principal was set.
    public var principalID: String?

    /// The trace context for the instrument of the system; empty without tracing.
    public var trace: [String: String]

    /// Creates an origin; by default, every part is unknown.
    public init(
        causationID: UUID? = nil,
        correlationID: UUID? = nil,
        principalID: String? = nil,
        trace: [String: String] = [:]
    ) {
        self.causationID = causationID
        self.correlationID = correlationID
        self.principalID = principalID
        self.trace = trace
    }

    /// An origin without any information.
    public static let unknown = MessageOrigin()

    /// The message that the current task handles, and its principal.
    public static var current: MessageOrigin {
        let message = MessageContext.current
        return MessageOrigin(
            causationID: message?.id,
            correlationID: message?.correlationID,
            principalID: MessageContext.currentPrincipal?.principalID,
            trace: TraceCarrier.current
        )
    }
}

/// A principal of which only the identifier was stored.
package struct StoredPrincipal: Principal {
    package let principalID: String

    package init(principalID: String) {
        self.principalID = principalID
    }
}

// Every event has an origin, and most origins name two messages and nothing else. That form is written and read here;
// all other values use the JSON coders.
extension MessageOrigin {
    /// The JSON for a store.
    package var storedText: String {
        get throws {
            guard principalID == nil, trace.isEmpty else {
                return String(decoding: try DocumentCoding.encode(self), as: UTF8.self)
            }
            let ids = [(Self.causation, causationID), (Self.correlation, correlationID)]
                .compactMap { begin, id in id.map { begin + $0.text(.capital) + Self.endOfID } }
            return "{" + ids.joined() + Self.noTrace
        }
    }

    /// Reads the JSON from a store.
    ///
    /// - Throws: `DecodingError` if the text is invalid.
    package init(storedText: String) throws {
        var rest = Array(storedText.utf8)[...]
        if Self.take("{", from: &rest) {
            let causationID = Self.takeID(after: Self.causation, from: &rest)
            let correlationID = Self.takeID(after: Self.correlation, from: &rest)
            if rest.elementsEqual(Self.noTrace.utf8) {
                self.init(causationID: causationID, correlationID: correlationID)
                return
            }
        }
        self = try DocumentCoding.decode(MessageOrigin.self, from: Data(storedText.utf8))
    }

    private static let causation = "\"causationID\":\""
    private static let correlation = "\"correlationID\":\""
    private static let endOfID = "\","
    private static let noTrace = "\"trace\":{}}"

    private static func take(_ text: String, from rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest.removeFirst(text.utf8.count)
        return true
    }

    private static func takeID(after begin: String, from rest: inout ArraySlice<UInt8>) -> UUID? {
        var after = rest
        guard take(begin, from: &after), let id = UUID(text: after.prefix(36)) else { return nil }
        after.removeFirst(36)
        guard take(endOfID, from: &after) else { return nil }
        rest = after
        return id
    }
}

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

/// The stored record of a command with an idempotency key, committed together with the changes of the command.
public struct IdempotencyRecord: Hashable, Sendable {
    /// The key.
    public let key: String

    /// The command as JSON, to detect a different command with the same key.
    public let command: Data

    /// The return value of the command, as JSON.
    public let outcome: Data

    /// The time at which the command took effect, to the millisecond.
    public let date: Date

    /// Creates a record; `date` is rounded to the millisecond.
    public init(key: String, command: Data, outcome: Data, date: Date) {
        self.key = key
        self.command = command
        self.outcome = outcome
        self.date = Date(milliseconds: date.milliseconds)
    }
}

/// A kind of message that a relay can handle.
public struct KnownMessage: Sendable {
    /// The stored name; see ``Settlement/End/unknown(name:version:since:until:now:)``.
    public let name: String

    /// The versions that the relay can read.
    public let versions: ClosedRange<Int>

    /// Creates a description.
    public init(name: String, versions: ClosedRange<Int>) {
        self.name = name
        self.versions = versions
    }
}
