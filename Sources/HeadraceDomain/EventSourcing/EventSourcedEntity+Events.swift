// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HeadraceStorage

extension EventSourcedEntity {
    /// Applies `event` to the entity, and raises it.
    ///
    /// The unit of work adds the event to the entity's stream, and delivers it like any other durable event. If the type of the
    /// event is not among the ``appliedEvents``, the event is only delivered, and isn't part of the stream.
    public func raiseEvent(_ event: some DomainEvent) {
        if EventTable.of(Self.self).apply(event, to: self) {
            raisedEvents.append(applied: event)
        } else {
            raisedEvents.append(event)
        }
    }

    /// Returns the entity `id` after `events`.
    package static func folded(id: ID, _ events: [any DurableDomainEvent]) -> Self {
        let entity = Self(id: id)
        let table = EventTable.of(Self.self)
        for event in events { table.apply(event, to: entity) }
        return entity
    }

    /// Returns whether the type of `event` is among the ``appliedEvents``.
    package static func applies(_ event: any DomainEvent) -> Bool {
        EventTable.of(Self.self).contains(type(of: event))
    }

    /// Returns the entity as a store would read it after a commit: encoded and decoded.
    ///
    /// - Throws: `EncodingError`; ``HeadraceStorage/StoreError`` with the code `undecodable`.
    package func reloaded() throws -> Self {
        try DocumentCoding.decode(
            StoredDocument(
                reference: EntityReference(to: self),
                version: 1,
                schemaVersion: Self.schemaVersion,
                json: try stateDocument()
            )
        )
    }

    /// The state of the entity, as a snapshot stores it.
    ///
    /// - Throws: `EncodingError`; the errors of the entity.
    package func stateDocument() throws -> Data {
        try DocumentCoding.encode(self)
    }
}
