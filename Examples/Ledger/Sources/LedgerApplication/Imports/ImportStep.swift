// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace
public import LedgerBooks

/// A command that posts the next transactions of an import job, except those that were posted before.
public struct ImportStep: CQDCommand, Encodable, SerializedCommand {
    /// A transaction of the journal.
    public struct Entry: Sendable, Encodable {
        /// The transaction to post.
        public let draft: TransactionDraft

        /// The origin of the transaction.
        public let origin: JournalOrigin

        /// The line of the transaction in the journal, counting from 1.
        public let line: Int

        /// Creates an entry.
        public init(_ draft: TransactionDraft, origin: JournalOrigin, line: Int) {
            self.draft = draft
            self.origin = origin
            self.line = line
        }
    }

    /// The identifier of the job.
    public let id: UUID

    /// Number of transactions of the journal before these.
    public let start: Int

    /// The transactions.
    public let entries: [Entry]

    /// The origins of all transactions of the journal; empty if none has a balance assignment.
    public let origins: Set<Fingerprint>

    /// The keys of the job and of the accounts of the postings.
    public var lockKeys: Set<String> {
        entries.reduce(into: [ImportJob.lockKey(of: id)]) { $0.formUnion(Account.lockKeys(of: $1.draft)) }
    }

    /// Creates the command.
    public init(_ id: UUID, from start: Int, _ entries: [Entry], origins: Set<Fingerprint> = []) {
        self.id = id
        self.start = start
        self.entries = entries
        self.origins = origins
    }
}

extension ImportStep {
    // The origins follow from the journal.
    private enum CodingKeys: CodingKey { case id, start, entries }
}

/// Posts the transactions in one unit of work, each by its own command, and records the progress of the job with them.
///
/// If the job has ended or is paused, or if the step isn't the next one, nothing happens. If another import posts one
/// of the transactions meanwhile, the step fails with a retryable conflict, and the retry skips that transaction. If
/// the domain refuses a transaction, the handler throws ``ImportJob/Failure`` and nothing of the step is posted.
public final class ImportStepHandler: HandlesCommand, Resolvable {
    /// Number of transactions between two checks for cancellation.
    private static let stride = 256

    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the command.
    public func handle(_ command: ImportStep) async throws {
        guard let job = try await context.find(ImportJob.self, id: command.id),
            job.state == .queued || job.state == .running, job.done == command.start
        else { return }
        var earlier = PostedOrigins(of: command.origins, in: context)
        try await earlier.read(command.entries.map(\.origin))
        // One read for all accounts, instead of one for each transaction.
        let accounts = Set(command.entries.flatMap { $0.draft.postings.map(\.account) })
        _ = try await context.find(Account.self, ids: accounts)
        var bookkeeper = Bookkeeper(in: context)
        var posted = 0
        if job.done + command.entries.count == job.total {
            let missing = try await KnownJournal.finish(job, in: context)
            if job.missing == .replace {
                try await missing.reverse(noLongerIn: job.name, by: &bookkeeper, in: context)
            }
        }
        for (index, entry) in command.entries.enumerated() {
            if index.isMultiple(of: Self.stride) { try Task.checkCancellation() }
            do {
                guard try await earlier.claim(entry.draft, from: entry.origin) else { continue }
                try await bookkeeper.post(entry.draft, origin: entry.origin.fingerprint)
            } catch let refusal as PostingRefusal {
                throw ImportJob.Failure(code: "\(refusal.code)", message: refusal.message, line: entry.line)
            }
            posted += 1
        }
        try bookkeeper.finish()
        job.advance(posted: posted, known: command.entries.count - posted)
        if job.done == job.total {
            job.finish()
            try await JournalContent.finish(job, in: context)
            try await DeclaredAccountType.declare(job.accountTypes ?? [:], in: context)
            try await ImportedJournal.record(job, sameAs: nil, in: context)
        }
    }
}

extension ImportJob {
    /// The lock key of the job `id`.
    static func lockKey(of id: UUID) -> String { "import/\(id)" }
}

extension ImportedJournal {
    /// Records the outcome of `job`.
    static func record(_ job: ImportJob, sameAs twin: String?, in context: EntityContext) async throws {
        let record = try await record(of: job.journal, content: job.content, in: context)
        record.recordImport(of: job.content, posted: job.posted, known: job.known, sameAs: twin)
    }
}
