// SPDX-License-Identifier: Apache-2.0

/// A point at which a crash test can end the process.
package enum FaultPoint: String, CaseIterable, Sendable {
    /// A commit waits for its transaction, or is about to be sent to the server.
    case commitQueued = "commit-queued"

    /// The changes are written; their transaction is open. Only in SQLite.
    case beforeCommit = "before-commit"

    /// In a transaction with several units of work, one is written and the next is not. Only in SQLite.
    case insideGroupCommit = "inside-group-commit"

    /// The transaction is on disk, and its callers are not yet notified.
    case afterCommit = "after-commit"

    /// The leases of a relay are written and committed, and the relay is not yet notified.
    case afterLease = "after-lease"

    /// A relay is about to write its acknowledgements; no transaction is open.
    case beforeAcknowledge = "before-acknowledge"

    /// A part of a replay is committed, and the next part isn't.
    case afterReplayPart = "after-replay-part"

    /// A migration of the tables has begun and is not committed. Only in SQLite.
    case inMigration = "in-migration"

    /// Opening has found that another program uses the store, and will look again; nothing has changed.
    case inUse = "in-use"
}
