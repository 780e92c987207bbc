// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import HeadraceDomain

/// A change of the program: two versions of the type of one kind of entity.
enum NoteUpgrade: String, CaseIterable, Sendable {
    case addedIndex, removedIndex, nowUnique, noLongerUnique, laterVersion, laterVersionWithOtherIndexes

    var older: any StoredEntity.Type {
        switch self {
        case .addedIndex, .nowUnique: LooseNote.self
        case .removedIndex, .noLongerUnique, .laterVersion, .laterVersionWithOtherIndexes: Note.self
        }
    }

    var newer: any StoredEntity.Type {
        switch self {
        case .addedIndex: SizedNote.self
        case .removedIndex: BareNote.self
        case .nowUnique: Note.self
        case .noLongerUnique: LooseNote.self
        case .laterVersion: LaterNote.self
        case .laterVersionWithOtherIndexes: LaterBareNote.self
        }
    }

    /// Whether both versions can use a file at the same time.
    var canBeShared: Bool {
        self == .addedIndex || self == .removedIndex
    }

    /// Whether the older version of the program can be started again.
    var canBeUndone: Bool {
        self != .laterVersion && self != .laterVersionWithOtherIndexes
    }
}

/// A note with one more index than `LooseNote`.
final class SizedNote: StoredEntity {
    static let entityName = "note"
    static var indexes: [EntityIndex<SizedNote>] {
        [EntityIndex("title") { $0.title }, EntityIndex("size") { $0.size }]
    }

    let id: String
    var title: String
    var size: Int
    var raisedEvents = RaisedEvents()
}

/// A note without indexes.
final class BareNote: StoredEntity {
    static let entityName = "note"

    let id: String
    var title: String
    var size: Int
    var raisedEvents = RaisedEvents()
}

/// A note of the second version, with the indexes of `Note`.
final class LaterNote: StoredEntity {
    static let entityName = "note"
    static let schemaVersion = 2
    static var indexes: [EntityIndex<LaterNote>] {
        [EntityIndex("title", unique: true) { $0.title }, EntityIndex("size") { $0.size }]
    }

    let id: String
    var title: String
    var size: Int
    var raisedEvents = RaisedEvents()
}

/// A note of the second version, without indexes.
final class LaterBareNote: StoredEntity {
    static let entityName = "note"
    static let schemaVersion = 2

    let id: String
    var title: String
    var size: Int
    var raisedEvents = RaisedEvents()
}

/// A note of the second version that no stored note can become.
final class UnreadableNote: StoredEntity {
    static let entityName = "note"
    static let schemaVersion = 2
    static var indexes: [EntityIndex<UnreadableNote>] { [EntityIndex("author") { $0.author }] }

    let id: String
    var author: String
    var raisedEvents = RaisedEvents()
}

/// An entity of another kind.
final class Shelf: StoredEntity {
    static let entityName = "shelf"
    static var indexes: [EntityIndex<Shelf>] { [EntityIndex("id") { $0.id }] }

    let id: String
    var raisedEvents = RaisedEvents()

    init(_ id: String) { self.id = id }
}
#endif
