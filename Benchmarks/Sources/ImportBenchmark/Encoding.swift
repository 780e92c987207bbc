// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceStorage
import LedgerApplication

/// Encodes the JSON of a change set again with one encoder: the minimum cost of encoding.
enum Encoding {
    /// Returns the time to encode all entities and events of `changes`.
    static func time(of changes: ChangeSet) throws -> Time {
        let values = try changes.writes.map { try entity(of: $0.document) } + changes.events.map { try event(of: $0) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try Time.measure {
            for value in values { _ = try encoder.encode(value) }
        }
    }

    private static func entity(of document: StoredDocument) throws -> any Encodable {
        let types: [any StoredEntity.Type] = LedgerComposition.entities
        guard let type = types.first(where: { $0.entityName == document.reference.kind }) else {
            throw CocoaError(.coderInvalidValue)
        }
        return try JSONDecoder().decode(type, from: document.json)
    }

    private static func event(of event: NewEvent) throws -> any Encodable {
        let types: [any DurableDomainEvent.Type] = [
            AccountMoved.self, AccountOpened.self, JournalImported.self, TransactionPosted.self,
        ]
        guard let type = types.first(where: { $0.eventName == event.name }) else {
            throw CocoaError(.coderInvalidValue)
        }
        return try JSONDecoder().decode(type, from: event.json)
    }
}
