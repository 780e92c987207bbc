// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceStorage

/// An event in the stream of an ``EventSourcedEntity``.
public struct StreamEvent: Sendable {
    /// The number of the event in its stream, counting from 1.
    public let number: Int

    /// The time at which the unit of work committed the event, to the millisecond.
    public let recordedAt: Date

    /// The event, in the current version of its type.
    public let event: any DurableDomainEvent
}

extension StreamEvent {
    private struct Head: Decodable {
        let name: String
        let recordedAt: Int64
    }

    /// The same JSON, if another program has written its members in another order.
    private struct Whole: Decodable {
        let name: String
        let recordedAt: Int64
        let event: JSONValue
    }

    /// The bytes between the head and the event.
    ///
    /// A JSON string can't contain them, because its quotation marks have a backslash.
    private static let separator = Data(#","event":"#.utf8)

    /// Returns the document of an event, and the JSON of the event alone.
    ///
    /// - Throws: `EncodingError`; the errors of the event.
    static func document<Event: DurableDomainEvent>(
        of event: Event,
        at reference: EntityReference,
        recordedAt: Date
    ) throws -> (document: StoredDocument, event: Data) {
        let event = try DocumentCoding.encode(event)
        var json = Data(#"{"name":"#.utf8)
        json += try DocumentCoding.encode(Event.eventName)
        json += Data(#","recordedAt":\#(recordedAt.milliseconds)"#.utf8)
        json += separator
        json += event
        json += Data("}".utf8)
        let document = StoredDocument(
            reference: reference, version: 1, schemaVersion: Event.eventVersion, json: json)
        return (document, event)
    }

    /// Reads the event `number` from its document.
    ///
    /// - Throws: ``EventError``; `DecodingError`.
    init(_ document: StoredDocument, number: Int, registry: EventRegistry) throws {
        let (name, milliseconds, json): (String, Int64, Data)
        if let range = document.json.range(of: Self.separator),
            let head = try? DocumentCoding.decode(Head.self, from: document.json[..<range.lowerBound] + Data("}".utf8))
        {
            (name, milliseconds) = (head.name, head.recordedAt)
            json = Data(document.json[range.upperBound...].dropLast())
        } else {
            let whole = try DocumentCoding.decode(Whole.self, from: document.json)
            (name, milliseconds) = (whole.name, whole.recordedAt)
            json = try DocumentCoding.encode(whole.event)
        }
        self.number = number
        recordedAt = Date(milliseconds: milliseconds)
        event = try registry.decode(json, name: name, version: document.schemaVersion)
    }
}
