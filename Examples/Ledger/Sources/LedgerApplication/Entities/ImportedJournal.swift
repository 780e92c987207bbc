//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace

/// A journal that was imported, once or more often.
public final class ImportedJournal: StoredEntity {
    /// The name under which the entities are stored.
    public static let entityName = "journal"

    /// What the entities are fetched by.
    public static var indexes: [EntityIndex<ImportedJournal>] { [.content] }

    /// What has happened to the entity and was not handled yet.
    public var raisedEvents = RaisedEvents()

    /// The name of its file, without the folder.
    public let id: String

    /// What was in the file when it was last imported.
    public private(set) var content: Fingerprint

    /// How many transactions the last import has posted.
    public private(set) var posted = 0

    /// How many transactions of the last import were in the books already.
    public private(set) var known = 0

    /// The journal under whose name the same content was imported before, if the last import found that.
    public private(set) var sameAs: String?

    /// Begins the record of a journal.
    public init(named name: String, content: Fingerprint) {
        id = name
        self.content = content
    }

    /// Records an import, and raises ``JournalImported``.
    public func recordImport(of content: Fingerprint, posted: Int, known: Int, sameAs: String? = nil) {
        self.content = content
        self.sameAs = sameAs
        self.posted = posted
        self.known = known
        raiseEvent(JournalImported(journal: id, posted: posted, known: known))
    }
}

extension EntityIndex<ImportedJournal> {
    /// The content of the file; the same may have been imported under two names.
    public static var content: Self { EntityIndex("content") { $0.content } }
}
