// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import HeadraceDomain
import HeadraceStorage

/// An entity that a task stores once, with an event.
final class PowerEntry: StoredEntity {
    static let entityName = "entry"
    static var indexes: [EntityIndex<PowerEntry>] { [EntityIndex("label", unique: true) { $0.id }] }

    let id: String
    var raisedEvents = RaisedEvents()

    init(_ id: String) { self.id = id }
}

/// The number of entries that a task has stored; written in the same unit of work as the entry.
final class PowerCounter: StoredEntity {
    static let entityName = "counter"

    let id: String
    var raisedEvents = RaisedEvents()

    init(_ id: String) { self.id = id }
}

/// The effect of handling the event of an entry; written in the same unit of work as the acknowledgement.
final class PowerEffect: StoredEntity {
    static let entityName = "effect"

    let id: String
    var raisedEvents = RaisedEvents()

    init(_ id: String) { self.id = id }
}

extension StoredDocument {
    /// A document of `kind` that is about `size` bytes larger than it must be.
    init(_ kind: String, _ key: String, version: Int = 1, size: Int = 0) {
        self.init(
            reference: EntityReference(kind: kind, key: key),
            version: version,
            schemaVersion: 1,
            json: Data(#"{"id":"\#(key)","size":"\#(String(repeating: "x", count: size))"}"#.utf8)
        )
    }
}
#endif
