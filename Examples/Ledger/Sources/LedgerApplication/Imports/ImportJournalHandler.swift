// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Headrace
import LedgerBooks
import LedgerJournal

/// Posts all new transactions of a journal in one unit of work, each by its own command.
///
/// Throws ``ImportRefusal`` if the domain refuses a transaction, ``ChangedJournal`` if transactions of the last import
/// are no longer in the journal, and ``ContentReserved`` if an import of the same content under another name hasn't
/// finished. Then nothing is posted.
public final class ImportJournalHandler: HandlesCommand, Resolvable {
    /// Number of transactions between two reports of progress.
    private static let stride = 256

    private let context: EntityContext
    private let progress: any ImportProgress

    /// The types that the handler resolves.
    public static let dependencies = Dependencies()
        .on(EntityContext.self)
        .on((any ImportProgress).self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
        progress = scope.resolve()
    }

    /// Handles the command.
    public func handle(_ command: ImportJournal) async throws -> ImportJournal.Outcome {
        let (journal, earlierPath) = try await KnownJournal.resolve(command.name, at: command.place, in: context) {
            Self.origins(of: command.journal, named: $0).map(\.fingerprint)
        }
        let origins = Self.origins(of: command.journal, named: journal.id)
        var earlier = PostedOrigins(of: origins.ofAssigningJournal, in: context)
        try await earlier.read(origins)
        let known = earlier.fingerprints(of: origins)
        let missing = try await journal.missing(from: known, in: context)
        if command.missing == .refuse, let change = ChangedJournal(command.name, missing: missing) { throw change }

        if command.missing != .keep {
            try await journal.requireTransactionsOfEarlierVersion(among: origins, of: command.name, in: context)
        }

        var bookkeeper = Bookkeeper(in: context)
        if command.missing == .replace {
            try await missing.reverse(noLongerIn: command.name, by: &bookkeeper, in: context)
        }
        var posted = 0
        var twin: String?
        switch try await JournalContent.claim(command.content, for: journal.id, in: context) {
        case .reserved(let content):
            posted = try await post(command, origins: origins, besides: earlier, by: &bookkeeper)
            content.finish()
            try await DeclaredAccountType.declare(command.journal.accountTypes, in: context)
        case .imported(let other):
            twin = other
        }
        try bookkeeper.finish()
        progress.advance(of: command.name, done: origins.count, total: origins.count)

        let list = UUID.version7()
        try await journal.begin(list, with: known, in: context)
        _ = try await journal.finish(list, in: context)
        let record = try await ImportedJournal.record(of: journal.id, content: command.content, in: context)
        record.recordImport(of: command.content, posted: posted, known: origins.count - posted, sameAs: twin)
        return ImportJournal.Outcome(
            posted: posted,
            known: origins.count - posted,
            missing: missing.transactions.count,
            sameAs: twin,
            earlierPath: earlierPath
        )
    }

    /// Posts the transactions that aren't among `earlier`, and returns their number.
    private func post(
        _ command: ImportJournal,
        origins: [JournalOrigin],
        besides earlier: PostedOrigins,
        by bookkeeper: inout Bookkeeper
    ) async throws -> Int {
        var posted = 0
        for (index, (entry, origin)) in zip(command.journal.entries, origins).enumerated() {
            if index.isMultiple(of: Self.stride) {
                try Task.checkCancellation()
                progress.advance(of: command.name, done: index, total: origins.count)
            }
            do {
                guard try await earlier.claim(entry.transaction, from: origin) else { continue }
                try await bookkeeper.post(entry.transaction, origin: origin.fingerprint)
            } catch let refusal as PostingRefusal {
                throw ImportRefusal(journal: entry.file ?? command.journal.file, line: entry.line, refusal: refusal)
            }
            posted += 1
        }
        return posted
    }

    /// Returns the origin of each transaction.
    private static func origins(of journal: Journal, named name: String) -> [JournalOrigin] {
        var origins = JournalOrigins(of: name)
        return journal.entries.map { origins.next($0) }
    }
}
