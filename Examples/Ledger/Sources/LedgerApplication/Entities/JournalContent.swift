//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
public import Headrace

/// Reserves the content of a journal for one name, from the first transaction of its import on.
///
/// The name of the journal is part of a transaction's origin. Under another name, the same content would be posted
/// twice, so each import begins with this reservation. If two imports begin at the same time, in one process or two,
/// one of them inserts the reservation and the other finds it. A finished import keeps the reservation. A failed import
/// keeps it if it has posted transactions, and deletes it otherwise.
public final class JournalContent: StoredEntity {
    /// The name under which the entities are stored.
    public static let entityName = "journal-content"

    /// Events that were raised and not handled yet.
    public var raisedEvents = RaisedEvents()

    /// Stands for the content.
    public let id: Fingerprint

    /// The name of the journal that the content is imported as.
    public let journal: String

    /// Whether all of the content is in the books.
    public private(set) var isImported: Bool

    /// Whether some of the content may be in the books.
    private var isBegun = false

    /// The imports in steps that haven't ended, in the order in which they have begun.
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

    /// Records that an import in steps has begun.
    func begin(_ job: ImportJob) {
        if !imports.contains(job.id) { imports.append(job.id) }
    }

    /// Records that all of the content is in the books; `job` is its import in steps, if it had one.
    func finish(_ job: ImportJob? = nil) {
        isImported = true
        imports.removeAll { $0 == job?.id }
    }

    /// Records that `job` has failed.
    ///
    /// - Returns: Whether the content is as if it had never been imported.
    func fail(_ job: ImportJob) -> Bool {
        imports.removeAll { $0 == job.id }
        isBegun = isBegun || job.posted > 0
        return !isImported && !isBegun && imports.isEmpty
    }
}

extension Fingerprint: EntityIdentifier {}

extension JournalContent {
    /// The outcome of claiming a content for a name.
    enum Claim {
        /// It is reserved for the name.
        case reserved(JournalContent)

        /// All of it is in the books, under this other name.
        case imported(as: String)
    }

    /// Reserves `content` for the journal `name`, or returns the name under which it was imported.
    ///
    /// - Throws: ``ContentReserved`` if it is being imported under another name, or was in part.
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
            context.insert(JournalContent(job.content, of: job.name, isImported: true))
        }
    }

    /// Records that `job` has failed, and deletes the reservation if nothing of the content was posted.
    static func fail(_ job: ImportJob, in context: EntityContext) async throws {
        guard let known = try await context.find(JournalContent.self, id: job.content) else { return }
        if known.fail(job) { context.delete(known) }
    }

    /// Returns a reservation for content that an earlier version, which made none, has imported or begun to import.
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
        let reservation = JournalContent(content, of: first.name)
        for job in jobs where job.name == first.name { reservation.begin(job) }
        return reservation
    }
}
