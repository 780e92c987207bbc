// SPDX-License-Identifier: Apache-2.0

/// The handling of transactions that a journal contained at its last import and no longer contains.
public enum MissingTransactions: String, Sendable, Hashable, Codable {
    /// The import throws ``ChangedJournal`` and stores nothing.
    case refuse

    /// The transactions stay in the books, and later imports don't ask for them again.
    case keep

    /// The transactions are reversed, each on its own date.
    ///
    /// If one is in the journal again later, it is posted again.
    case replace
}
