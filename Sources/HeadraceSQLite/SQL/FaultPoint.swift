//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
/// A moment at which the program may end, for tests that end it there.
package enum FaultPoint: String, CaseIterable, Sendable {
    /// A commit waits for its transaction.
    case commitQueued = "commit-queued"

    /// The changes are written; their transaction is open.
    case beforeCommit = "before-commit"

    /// Of several units of work in one transaction, one is written and the next is not.
    case insideGroupCommit = "inside-group-commit"

    /// The transaction is on disk; nobody knows yet.
    case afterCommit = "after-commit"

    /// The leases of a relay are written and committed; the relay does not know yet.
    case afterLease = "after-lease"

    /// A relay is about to write its acknowledgements; no transaction is open.
    case beforeAcknowledge = "before-acknowledge"

    /// A migration of the tables has begun, and is not committed.
    case inMigration = "in-migration"
}
#endif
