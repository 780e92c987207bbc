// SPDX-License-Identifier: Apache-2.0

import Headrace

/// The file of a journal.
public struct JournalPlace: Sendable {
    /// The absolute path.
    public let path: String

    /// Whether a file exists at a path.
    let isPresent: @Sendable (String) -> Bool

    /// Creates the place of a file.
    ///
    /// `isPresent` returns whether a file exists at a path. A known journal whose file doesn't exist may have been
    /// renamed.
    public init(_ path: String, isPresent: @escaping @Sendable (String) -> Bool) {
        self.path = path
        self.isPresent = isPresent
    }
}

extension KnownJournal {
    /// Maximum length of a path that is the name of a journal.
    private static let longestName = 255

    /// Returns the journal that was imported under `name`, or a new one.
    ///
    /// With a `place`, journals of one name in different folders are distinct. A file at a new path is a known journal
    /// - if it has the name of a journal without a path, as after an upload or an import by an earlier version; or
    /// - if the file of the known journal no longer exists, and more than half of its transactions are in this file.
    ///   Then it was renamed or moved.
    ///
    /// A copy of a journal, with which nothing was posted, belongs to that journal from then on.
    ///
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - place: The file; `nil` for an upload or the standard input.
    ///   - context: The unit of work.
    ///   - origins: Returns the origins of the transactions in the file under the name of a journal.
    /// - Returns: The journal, and its path at the last import if the file was renamed or moved since.
    /// - Throws: `StoreError`.
    static func resolve(
        _ name: String,
        at place: JournalPlace? = nil,
        in context: EntityContext,
        origins: (String) -> [Fingerprint] = { _ in [] }
    ) async throws -> (journal: KnownJournal, earlierPath: String?) {
        let (journal, earlierPath) = try await journal(name, at: place, in: context, origins: origins)
        guard let twin = try await context.find(ImportedJournal.self, id: journal.id)?.sameAs else {
            return (journal, earlierPath)
        }
        return (try await named(twin, in: context), earlierPath)
    }

    private static func journal(
        _ name: String, at place: JournalPlace?, in context: EntityContext, origins: (String) -> [Fingerprint]
    ) async throws -> (KnownJournal, earlierPath: String?) {
        guard let place else { return (try await named(name, in: context), nil) }
        let namesake = try await context.find(KnownJournal.self, id: name)

        let atPath = try await context.fetch(KnownJournal.self, where: [.equals(.path, Fingerprint([place.path]))])
        if let known = atPath.first { return (known, nil) }
        if let namesake, namesake.path == nil {
            namesake.move(to: place.path)
            return (namesake, nil)
        }
        let isOfEarlierVersion =
            if namesake == nil { try await context.find(ImportedJournal.self, id: name) != nil } else { false }
        if !isOfEarlierVersion, let renamed = try await renamed(to: place, in: context, origins: origins) {
            let earlierPath = renamed.path
            renamed.move(to: place.path)
            return (renamed, earlierPath)
        }
        let id = namesake == nil ? name : Self.name(of: place)
        return (inserted(KnownJournal(named: id, at: place.path), in: context), nil)
    }

    /// Returns the journal that was renamed or moved to `place`; `nil` for none.
    private static func renamed(
        to place: JournalPlace, in context: EntityContext, origins: (String) -> [Fingerprint]
    ) async throws -> KnownJournal? {
        var best: (journal: KnownJournal, shared: Int)?
        for journal in try await context.fetch(KnownJournal.self) {
            guard let path = journal.path, !place.isPresent(path) else { continue }
            let (count, shared) = try await journal.overlap(with: Set(origins(journal.id)), in: context)
            if shared * 2 > count, shared > best?.shared ?? 0 { best = (journal, shared) }
        }
        return best?.journal
    }

    private static func name(of place: JournalPlace) -> String {
        if place.path.utf8.count <= longestName { return place.path }
        return String(place.path.suffix(longestName / 8)) + "-" + Fingerprint([place.path]).rawValue
    }

    /// Returns the journal with the identifier `name`, which is new if it doesn't exist.
    ///
    /// - Throws: `StoreError`.
    static func named(_ name: String, in context: EntityContext) async throws -> KnownJournal {
        try await context.find(KnownJournal.self, id: name) ?? inserted(KnownJournal(named: name), in: context)
    }

    /// Makes the list of `job` that of the last import, and returns the transactions that aren't in it.
    ///
    /// - Throws: `StoreError`.
    static func finish(_ job: ImportJob, in context: EntityContext) async throws -> Missing {
        try await context.find(KnownJournal.self, id: job.journal)?.finish(job.id, in: context) ?? Missing()
    }

    /// Removes the list of `job`, which has posted nothing.
    ///
    /// - Throws: `StoreError`.
    static func discard(_ job: ImportJob, in context: EntityContext) async throws {
        try await context.find(KnownJournal.self, id: job.journal)?.discard(job.id, in: context)
    }

    private static func inserted(_ journal: KnownJournal, in context: EntityContext) -> KnownJournal {
        context.insert(journal)
        return journal
    }
}
