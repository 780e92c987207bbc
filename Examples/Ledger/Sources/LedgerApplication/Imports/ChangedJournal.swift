// SPDX-License-Identifier: Apache-2.0

public import Headrace
import LedgerBooks

/// An error that is thrown if transactions of the last import of a journal are no longer in it.
///
/// Nothing of the journal is imported. If a transaction was changed instead of removed, its new version would be posted
/// beside the old.
public struct ChangedJournal: CodedError {
    /// Maximum number of transactions in the message.
    private static let mostExamples = 5

    /// The name of the journal.
    public let journal: String

    /// Number of transactions that are no longer in the journal.
    public let count: Int

    /// The first transactions as text, in the order of their dates.
    ///
    /// Empty if an earlier version has made the last import, because the store tells only their number then.
    public let examples: [String]

    /// Creates the error, or returns `nil` if no transaction is missing.
    init?(_ journal: String, missing: KnownJournal.Missing) {
        let missing = missing.transactions
        if missing.isEmpty { return nil }
        self.journal = journal
        count = missing.count
        examples = missing.prefix(Self.mostExamples).map { transaction in
            let posting = transaction.postings.first.map { " (\($0.amount) to '\($0.account)')" } ?? ""
            return [transaction.date.description, transaction.description].filter { !$0.isEmpty }
                .joined(separator: " ") + posting
        }
    }

    /// Creates the error for a journal whose last import an earlier version has made.
    init(_ journal: String, countSinceEarlierVersion count: Int) {
        self.journal = journal
        self.count = count
        examples = []
    }

    /// The only code: `changedJournal`.
    public var code: String { "changedJournal" }

    /// The cause and the remedy.
    public var message: String { message(replacing: "'replace'", keeping: "'keep'") }

    /// Returns the cause and the remedy, with the names of the two settings in a user interface.
    public func message(replacing replace: String, keeping keep: String) -> String {
        let subject =
            count == 1 ? "1 transaction of the last import is" : "\(count) transactions of the last import are"
        if examples.isEmpty {
            return "\(subject) no longer in this journal. Nothing of '\(journal)' was imported. An earlier version has "
                + "imported them, so they can't be listed or reversed here. To fix, restore the journal, or import it "
                + "with \(keep), and reverse the old transactions one by one."
        }
        let list = examples.joined(separator: ", ") + (count > examples.count ? ", …" : "")
        return
            "\(subject) no longer in this journal: \(list). Nothing of '\(journal)' was imported. To fix, restore the "
            + "journal, or import it with \(replace) to reverse them, or with \(keep) to leave them in the books."
    }
}
