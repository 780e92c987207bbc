//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
public import GRDB
public import HeadraceDomain
import HeadraceStorage

/// Plain SQL in the transaction of a commit.
struct SQLWork: StoreWork {
    let body: @Sendable (Database) throws -> Void
}

extension EntityContext {
    /// Adds plain SQL to the unit of work: `body` runs within its transaction, when it commits.
    ///
    /// ```swift
    /// context.perform { database in
    ///     try database.execute(sql: "UPDATE daily_total SET cents = cents + ?", arguments: [amount])
    /// }
    /// ```
    ///
    /// It runs once all entities are written, on the connection that writes, after what was added before. What it throws
    /// keeps the unit of work from being stored, and reaches the caller of `execute` unwrapped. Where several units of
    /// work share a transaction, and that fails as a whole, it runs again: let it do nothing but SQL. It must neither
    /// begin nor end transactions, and leave the tables of the store alone: those are `entity`, `entity_kind`,
    /// `entity_index`, `index_entry`, `event`, and what else begins with `headrace_`.
    ///
    /// Only an ``HeadraceSQLite/SQLiteStore`` takes it; on another store the commit throws `StoreError` with the code
    /// `unsupportedWork`.
    public func perform(_ body: @escaping @Sendable (_ database: Database) throws -> Void) {
        perform(SQLWork(body: body))
    }
}
#endif
