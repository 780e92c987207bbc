// SPDX-License-Identifier: Apache-2.0

public import Headrace

/// The record of the last import of a journal.
public final class ImportedJournal: StoredEntity {
    /// The name of the entity type in the store.
    public static let entityName = "journal"

    /// The indexes of the entity type.
    public static var indexes: [EntityIndex<ImportedJournal>] { [.content] }

    /// The events that no unit of work has taken yet.
    public var raisedEvents = RaisedEvents()

    /// The name of the file, without the folder.
    public let id: String

    /// The content of the file at the last import.
    public private(set) var content: Fingerprint

    /// Number of transactions that the last import has posted.
    public private(set) var posted = 0

    /// Number of transactions that the last import has skipped because they were posted before.
    public private(set) var known = 0

    /// The name under which the same content was imported before; `nil` if it wasn't.
    public private(set) var sameAs: String?

    /// Creates the record of a journal.
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
    /// The content of the file.
    ///
    /// It isn't unique, because a content can be imported under two names.
    public static var content: Self { EntityIndex("content") { $0.content } }
}

extension ImportedJournal {
    /// Returns the record of the journal `name`, which is new if no journal was imported under this name.
    static func record(
        of name: String,
        content: Fingerprint,
        in context: EntityContext
    ) async throws -> ImportedJournal {
        if let known = try await context.find(ImportedJournal.self, id: name) { return known }
        let record = ImportedJournal(named: name, content: content)
        context.insert(record)
        return record
    }
}
