// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace
public import LedgerBooks

/// A command that starts an import job.
public struct BeginImport: CQDCommand, Encodable, SerializedCommand {
    /// The identifier of the new job.
    public let id: UUID

    /// The name of the journal.
    public let name: String

    /// The fingerprint of the journal's content.
    public let content: Fingerprint

    /// Number of transactions in the journal.
    public let total: Int

    /// Whether the import posts all transactions in one unit of work, or in steps.
    public let isAtomic: Bool

    /// The types of accounts that the journal declares.
    public let accountTypes: [String: AccountType]

    /// The transactions of the journal with balance assignments.
    public let assigned: [ImportStep.Entry]

    /// The origins of all transactions, in the order of the journal; `nil` if the journal isn't compared with its last
    /// import.
    public let origins: [JournalOrigin]?

    /// The journal whose transactions the import posts; see ``GetJournalName``.
    public let journal: String

    /// The handling of transactions that are no longer in the journal.
    public let missing: MissingTransactions

    /// The keys of the journal and of its content.
    public var lockKeys: Set<String> { ["journal/\(journal)", "content/\(content.rawValue)"] }

    /// Creates the command.
    public init(
        _ id: UUID,
        of name: String,
        content: Fingerprint,
        total: Int,
        isAtomic: Bool = false,
        accountTypes: [String: AccountType] = [:],
        assigned: [ImportStep.Entry] = [],
        origins: [JournalOrigin]? = nil,
        journal: String? = nil,
        missing: MissingTransactions = .refuse
    ) {
        self.id = id
        self.name = name
        self.content = content
        self.total = total
        self.isAtomic = isAtomic
        self.accountTypes = accountTypes
        self.assigned = assigned
        self.origins = origins
        self.journal = journal ?? name
        self.missing = missing
    }
}

extension BeginImport {
    // The origins follow from the content.
    private enum CodingKeys: CodingKey {
        case id, name, content, total, isAtomic, accountTypes, assigned, journal, missing
    }
}

/// Starts the job and reserves the content for it.
///
/// If the same content was imported under another name, the job finishes at once and posts nothing. If an import under
/// another name hasn't finished, the handler throws ``ContentReserved``. If a transaction with balance assignments was
/// posted with other amounts, it throws ``ImportRefusal``. If transactions of the last import are no longer in the
/// journal, it throws ``ChangedJournal``, unless they are to be kept or replaced. After an error, nothing is stored, and no
/// step is posted. The last step replaces transactions.
public final class BeginImportHandler: HandlesCommand, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the command.
    public func handle(_ command: BeginImport) async throws {
        let job = ImportJob(
            id: command.id,
            name: command.name,
            content: command.content,
            total: command.total,
            isAtomic: command.isAtomic,
            accountTypes: command.accountTypes,
            journal: command.journal,
            missing: command.missing
        )
        var twin: String?
        let earlier = try await earlierOrigins(of: command)
        try await compare(command, with: earlier)
        switch try await JournalContent.claim(command.content, for: command.journal, in: context) {
        case .reserved(let content):
            try await requireUnchanged(command, since: earlier)
            content.begin(job)
            context.insert(job)
            if command.total > 0 { return }
            content.finish(job)
            try await finishAtOnce(job)
            try await DeclaredAccountType.declare(command.accountTypes, in: context)
        case .imported(let other):
            context.insert(job)
            try await finishAtOnce(job)
            twin = other
        }
        job.advance(posted: 0, known: command.total)
        job.finish()
        try await ImportedJournal.record(job, sameAs: twin, in: context)
    }

    /// Reads the origins of the transactions with balance assignments.
    private func earlierOrigins(of command: BeginImport) async throws -> PostedOrigins {
        var earlier = PostedOrigins(of: (command.origins ?? []).ofAssigningJournal, in: context)
        try await earlier.read(command.assigned.map(\.origin))
        return earlier
    }

    /// Throws ``ChangedJournal`` if transactions of the last import are no longer in the journal, unless they are to be
    /// kept or replaced, and stores the origins of this import.
    private func compare(_ command: BeginImport, with earlier: PostedOrigins) async throws {
        guard let origins = command.origins else { return }
        let known = earlier.fingerprints(of: origins)
        let journal = try await KnownJournal.named(command.journal, in: context)
        if command.missing == .refuse {
            let missing = try await journal.missing(from: known, in: context)
            if let change = ChangedJournal(command.name, missing: missing) { throw change }
        }
        if command.missing != .keep {
            try await journal.requireTransactionsOfEarlierVersion(among: origins, of: command.name, in: context)
        }
        try await journal.begin(command.id, with: known, in: context)
    }

    /// Finishes the comparison for a job without steps.
    private func finishAtOnce(_ job: ImportJob) async throws {
        let missing = try await KnownJournal.finish(job, in: context)
        if job.missing != .replace { return }
        var bookkeeper = Bookkeeper(in: context)
        try await missing.reverse(noLongerIn: job.name, by: &bookkeeper, in: context)
        try bookkeeper.finish()
    }

    /// Throws ``ImportRefusal`` if a transaction was posted with other amounts that followed from balances.
    ///
    /// The step with that transaction refuses it, too, but then the steps before have posted theirs.
    private func requireUnchanged(_ command: BeginImport, since earlier: PostedOrigins) async throws {
        for entry in command.assigned {
            do {
                _ = try await earlier.isNew(entry.draft, from: entry.origin)
            } catch let refusal as PostingRefusal {
                throw ImportRefusal(journal: command.name, line: entry.line, refusal: refusal)
            }
        }
    }
}
