// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

/// The document of an event-sourced entity: where its stream is, and how long it is.
struct StreamHead<ID: EntityIdentifier>: Codable {
    /// The identifier of the entity.
    let id: ID

    /// The identifier of the stream.
    ///
    /// An entity that is deleted and inserted again has another stream, so a reader can't mix the events of both.
    let stream: UUID

    /// Number of events in the stream.
    let events: Int

    /// The number of events in the state of the snapshot; `nil` if there is none.
    let snapshot: Int?
}

/// The references of the documents of one stream.
struct StreamReferences: Hashable {
    let kind: String
    let stream: UUID

    /// The kind of the documents of the streams of `type`.
    static func kind<Entity: EventSourcedEntity>(of type: Entity.Type) -> String { "\(Entity.entityName).stream" }

    /// The event `number`, counting from 1.
    func event(_ number: Int) -> EntityReference {
        let digits = number.description
        // The order of the keys is the order of the events.
        let zeros = String(repeating: "0", count: max(0, 12 - digits.utf8.count))
        return EntityReference(kind: kind, key: "\(stream.storageKey)/\(zeros)\(digits)")
    }

    /// The snapshot of the state after the event `number`.
    func snapshot(_ number: Int) -> EntityReference {
        EntityReference(kind: kind, key: "\(stream.storageKey)/snapshot-\(number.description)")
    }
}
