// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Headrace

/// The reservation of a journal's content for one name.
///
/// Each import starts with it.
///
/// The name of the journal is part of a transaction's origin, so the same content would be posted twice under two
/// names. If two imports start at the same time, in one process or two, one of them inserts the reservation and the
/// other finds it. A finished import keeps the reservation. A failed import keeps it if it has posted transactions, and
/// deletes it otherwise.
public final class JournalContent: StoredEntity {
    /// The name of the entity type in the store.
    public static let entityName = "journal-content"

    /// The events that no unit of work has taken yet.
    public var raisedEvents = RaisedEvents()

    /// The fingerprint of the content.
    public let id: Fingerprint

    /// The journal name that the content is reserved for.
    public let journal: String

    /// Whether all transactions of the content are posted.
    public private(set) var isImported: Bool

    /// Whether some transactions of the content may be posted.
    private var isBegun = false

    /// The import jobs that haven't ended, in the order of their starts.
    private var imports: [UUID] = []

    private enum CodingKeys: CodingKey {
        case id, journal, isImported, isBegun, imports
    }

    /// Reserves `content` for the journal `name`.
    init(_ content: Fingerprint, of name: String, isImported: Bool = false) {
        id = content
        journal = name
        self.isImported = isImported
    }

    /// Records that an import job has started.
    func begin(_ job: ImportJob) {
        if !imports.contains(job.id) { imports.append(job.id) }
    }

    /// Records that all transactions are posted.
    ///
    /// `job` is the import job, if there is one.
    func finish(_ job: ImportJob? = nil) {
        isImported = true
        imports.removeAll { $0 == job?.id }
    }

    /// Records that `job` has failed.
    ///
    /// - Returns: Whether no transaction of the content is posted or can be.
    func fail(_ job: ImportJob) -> Bool {
        imports.removeAll { $0 == job.id }
        isBegun = isBegun || job.posted > 0
        return !isImported && !isBegun && imports.isEmpty
    }
}

extension JournalContent {
    /// The outcome of a request to reserve a content for a name.
    enum Claim {
        /// The content is reserved for the name.
        case reserved(JournalContent)

        /// All transactions of the content are posted, under another name.
        case imported(as: String)
    }

    /// Reserves `content` for the journal `name`, or returns the name under which it was imported.
    ///
    /// - Throws: ``ContentReserved`` if an import under another name has started and not finished.
    static func claim(_ content: Fingerprint, for name: String, in context: EntityContext) async throws -> Claim {
        let reservation: JournalContent
        if let known = try await context.find(JournalContent.self, id: content) {
            reservation = known
        } else {
            reservation = try await beforeReservations(content, in: context) ?? JournalContent(content, of: name)
            context.insert(reservation)
        }
        if reservation.journal == name { return .reserved(reservation) }
        if reservation.isImported { return .imported(as: reservation.journal) }
        throw ContentReserved(journal: name, other: reservation.journal)
    }

    /// Records that `job` is finished.
    static func finish(_ job: ImportJob, in context: EntityContext) async throws {
        if let known = try await context.find(JournalContent.self, id: job.content) {
            known.finish(job)
        } else {
            context.insert(JournalContent(job.content, of: job.journal, isImported: true))
        }
    }

    /// Records that `job` has failed, and deletes the reservation if nothing of the content was posted.
    static func fail(_ job: ImportJob, in context: EntityContext) async throws {
        guard let known = try await context.find(JournalContent.self, id: job.content) else { return }
        if known.fail(job) { context.delete(known) }
    }

    /// Returns a reservation for content whose import was started by an earlier version, which made no reservations.
    private static func beforeReservations(
        _ content: Fingerprint,
        in context: EntityContext
    ) async throws -> JournalContent? {
        let journals = try await context.fetch(ImportedJournal.self, where: [.equals(.content, content)])
        if let first = journals.first(where: { $0.sameAs == nil }) ?? journals.first {
            return JournalContent(content, of: first.sameAs ?? first.id, isImported: true)
        }
        let jobs = try await context.fetch(ImportJob.self, where: [.equals(.isOpen, 1)])
            .filter { $0.content == content }
        guard let first = jobs.first else { return nil }
        let reservation = JournalContent(content, of: first.journal)
        for job in jobs where job.journal == first.journal { reservation.begin(job) }
        return reservation
    }
}
