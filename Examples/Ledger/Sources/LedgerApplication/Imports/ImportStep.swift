//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import Headrace
public import LedgerBooks

/// Asks for the next transactions of an import to be posted, those of them that are not in the books already.
public struct ImportStep: CQDCommand, Encodable, TakesTurns {
    /// A transaction of the journal.
    public struct Entry: Sendable, Encodable {
        /// What is to be posted.
        public let draft: TransactionDraft

        /// Where it comes from.
        public let origin: JournalOrigin

        /// Its line in the journal, counting from 1.
        public let line: Int

        /// Creates an entry.
        public init(_ draft: TransactionDraft, origin: JournalOrigin, line: Int) {
            self.draft = draft
            self.origin = origin
            self.line = line
        }
    }

    /// The import.
    public let id: UUID

    /// How many transactions of the journal come before these.
    public let start: Int

    /// The transactions.
    public let entries: [Entry]

    /// The import, and the accounts of the postings.
    public var turns: Set<String> {
        entries.reduce(into: [ImportJob.turn(of: id)]) { $0.formUnion(Account.turns(of: $1.draft)) }
    }

    /// Creates the command.
    public init(_ id: UUID, from start: Int, _ entries: [Entry]) {
        self.id = id
        self.start = start
        self.entries = entries
    }
}

/// Posts the transactions in one unit of work, each by its own command, and records how far the import has come with them.
///
/// What was done already, or is no longer to be done, is left alone. Where another import posts one of the transactions
/// meanwhile, the step is a conflict, to be tried again: it is known then. It throws ``ImportJob/Failure`` where the domain
/// refuses one, and then none of them is posted.
public final class ImportStepHandler: HandlesCommand, Resolvable {
    private let unitOfWork: UnitOfWork<EntityContext>
    private let dispatcher: any CommandQueryDispatcher

    /// The types that a handler resolves.
    public static let dependencies = Dependencies()
        .on(UnitOfWork<EntityContext>.self)
        .on((any CommandQueryDispatcher).self)

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        unitOfWork = scope.resolve()
        dispatcher = scope.resolve()
    }

    /// Does the step; see the command.
    public func handle(_ command: ImportStep) async throws {
        let dispatcher = dispatcher
        try await unitOfWork.execute { context in
            guard let job = try await context.find(ImportJob.self, id: command.id),
                job.state == .queued || job.state == .running, job.done == command.start
            else { return }
            let known = try await Transaction.known(among: command.entries.map(\.origin), in: context)
            // All at once, instead of one by one as they are booked.
            let accounts = Set(command.entries.flatMap { $0.draft.postings.map(\.account) })
            _ = try await context.find(Account.self, ids: accounts)
            var posted = 0
            for entry in command.entries where !known.contains(entry.origin) {
                do {
                    try await dispatcher.dispatch(PostTransaction(entry.draft, origin: entry.origin.fingerprint))
                } catch let refusal as PostingRefusal {
                    throw ImportJob.Failure(code: "\(refusal.code)", message: refusal.message, line: entry.line)
                }
                posted += 1
            }
            job.advance(posted: posted, known: command.entries.count - posted)
            if job.done == job.total {
                job.finish()
                try await JournalContent.finish(job, in: context)
                try await ImportedJournal.record(job, sameAs: nil, in: context)
            }
        }
    }
}

extension ImportJob {
    /// The name under which commands take turns in changing the import `id`.
    static func turn(of id: UUID) -> String { "import/\(id)" }
}

extension ImportedJournal {
    /// Records what came of `job`.
    static func record(_ job: ImportJob, sameAs twin: String?, in context: EntityContext) async throws {
        let record: ImportedJournal
        if let earlier = try await context.find(ImportedJournal.self, id: job.name) {
            record = earlier
        } else {
            record = ImportedJournal(named: job.name, content: job.content)
            context.insert(record)
        }
        record.recordImport(of: job.content, posted: job.posted, known: job.known, sameAs: twin)
    }
}
