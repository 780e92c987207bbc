//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
import LedgerBooks
import LedgerJournal

/// Posts all new transactions of a journal in one unit of work, each by its own command.
///
/// Throws ``ImportRefusal`` if the domain refuses a transaction, and ``ContentReserved`` if an import of the same
/// content under another name hasn't finished. Then nothing is posted.
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
    public func handle(_ command: ImportJournal) async throws {
        let origins = Self.origins(of: command)
        var posted = 0
        var twin: String?
        switch try await JournalContent.claim(command.content, for: command.name, in: context) {
        case .reserved(let content):
            posted = try await post(command, origins: origins)
            content.finish()
            try await DeclaredAccountType.declare(command.journal.accountTypes, in: context)
        case .imported(let other):
            twin = other
        }
        progress.advance(of: command.name, done: origins.count, total: origins.count)

        let record = try await ImportedJournal.record(of: command.name, content: command.content, in: context)
        record.recordImport(of: command.content, posted: posted, known: origins.count - posted, sameAs: twin)
    }

    /// Posts the transactions that weren't posted before, and returns their number.
    private func post(_ command: ImportJournal, origins: [JournalOrigin]) async throws -> Int {
        var earlier = PostedOrigins(of: origins.ofAssigningJournal, in: context)
        try await earlier.read(origins)
        var bookkeeper = Bookkeeper(in: context)
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
        try bookkeeper.finish()
        return posted
    }

    /// Returns the origin of each transaction.
    private static func origins(of command: ImportJournal) -> [JournalOrigin] {
        var origins = JournalOrigins(of: command.name)
        return command.journal.entries.map { origins.next($0) }
    }
}
