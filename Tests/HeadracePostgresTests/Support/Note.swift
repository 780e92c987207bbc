// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceDomain
@testable import HeadracePostgres
import HeadraceStorage

/// The entity of the tests.
final class Note: StoredEntity {
    static let entityName = "note"
    static var indexes: [EntityIndex<Note>] {
        [EntityIndex("title", unique: true) { $0.title }, EntityIndex("size") { $0.size }]
    }

    let id: String
    var title: String
    var size: Int
    var raisedEvents = RaisedEvents()

    init(_ id: String, title: String? = nil, size: Int = 0) {
        self.id = id
        self.title = title ?? "title of \(id)"
        self.size = size
    }
}

extension TestSchema {
    /// Opens a store of notes.
    func open(url: String? = nil) async throws -> PostgresStore {
        try await PostgresStore(url: url ?? self.url, entities: [Note.self], configuration: configuration)
    }
}

extension ChangeSet {
    /// Inserts a note that raises an event with a delivery to `subscription`.
    ///
    /// `padding` makes its document longer.
    static func note(
        _ key: String,
        title: String? = nil,
        padding: String = "",
        for subscription: String? = nil
    ) -> ChangeSet {
        let reference = EntityReference(kind: "note", key: key)
        let title = title ?? "title of \(key)"
        let json = Data(#"{"id":"\#(key)","title":"\#(title)","size":0,"padding":"\#(padding)"}"#.utf8)
        let document = StoredDocument(reference: reference, version: 1, schemaVersion: 1, json: json)
        let entries: Set = [
            ChangeSet.IndexEntry(index: "title", value: .text(title)),
            ChangeSet.IndexEntry(index: "size", value: .integer(0)),
        ]
        var changes = ChangeSet(writes: [ChangeSet.Write(document: document, addedEntries: entries)])
        changes.events = [
            NewEvent(
                id: UUID(), name: "note-inserted", version: 1, stream: reference,
                recordedAt: Date(timeIntervalSince1970: 1_700_000_000), json: Data(#"{"id":"\#(key)"}"#.utf8))
        ]
        if let subscription {
            changes.deliveries = [ChangeSet.NewDelivery(event: 0, subscription: subscription)]
        }
        return changes
    }
}

extension SchemaCheck {
    /// Returns the check of a schema that is open.
    static func opened(_ schema: TestSchema) async throws -> SchemaCheck {
        try await schema.session { session in
            let numbers = try await PostgresSchemaIDs.read(["note"], on: session)
            let generation = try await session.run("SELECT generation FROM store").first?.integer(0) ?? 0
            return SchemaCheck(
                numbers, state: .init(generation: generation, undeclared: []),
                mapper: PostgresErrorMapper(schema: schema.name))
        }
    }
}
#endif
