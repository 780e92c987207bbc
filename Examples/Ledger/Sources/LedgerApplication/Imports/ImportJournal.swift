// SPDX-License-Identifier: Apache-2.0

public import Headrace
public import LedgerJournal

/// A command that posts the transactions of a journal, except those that were posted before.
public struct ImportJournal: CQDCommand {
    /// The outcome of an import.
    public struct Outcome: Sendable, Hashable, Codable {
        /// Number of posted transactions.
        public let posted: Int

        /// Number of transactions that were posted before.
        public let known: Int

        /// Number of transactions of the last import that aren't in this journal.
        ///
        /// They were reversed if the command says so, and stay in the books otherwise.
        public let missing: Int

        /// The journal with the same content that was imported before; `nil` if there is none.
        public let sameAs: String?

        /// The path at the last import, if the file was renamed or moved since; `nil` if it wasn't.
        public let earlierPath: String?
    }

    /// The outcome.
    public typealias Output = Outcome

    /// The journal.
    public let journal: Journal

    /// The name of the journal's file, without the folder.
    public let name: String

    /// The fingerprint of the file's bytes.
    public let content: Fingerprint

    /// The file; `nil` for the standard input.
    public let place: JournalPlace?

    /// The handling of transactions that are no longer in the journal.
    public let missing: MissingTransactions

    /// Creates the command.
    public init(
        _ journal: Journal,
        named name: String,
        content: Fingerprint,
        at place: JournalPlace? = nil,
        missing: MissingTransactions = .refuse
    ) {
        self.journal = journal
        self.name = name
        self.content = content
        self.place = place
        self.missing = missing
    }
}

extension ImportJournal: Encodable {
    // The fingerprint identifies the journal.
    private enum CodingKeys: CodingKey { case name, content, missing }
}
