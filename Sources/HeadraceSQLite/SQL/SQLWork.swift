// SPDX-License-Identifier: Apache-2.0

#if SQLite
public import GRDB
public import HeadraceDomain
import HeadraceStorage

/// A client's SQL in the transaction of a commit.
struct SQLWork: StoreWork {
    let body: @Sendable (Database) throws -> Void
}

extension EntityContext {
    /// Adds plain SQL to the unit of work.
    ///
    /// `body` runs within the transaction of the commit.
    ///
    /// ```swift
    /// context.perform { database in
    ///     try database.execute(sql: "UPDATE daily_total SET cents = cents + ?", arguments: [amount])
    /// }
    /// ```
    ///
    /// `body` runs after all entities are written, on the writer connection, in the order of the calls to `perform`. If
    /// it throws, the unit of work is not stored, and the caller of `execute` receives the error unwrapped.
    ///
    /// `body` may run twice: units of work can share a transaction, and if that transaction fails, each runs again. So
    /// `body` must have no effects other than SQL. It must not begin or end transactions, and must not write to the
    /// tables of the store: `entity`, `entity_kind`, `entity_index`, `index_entry`, `unindexed`, `event`, `subscription`, `lane`,
    /// `delivery`, `scheduled_message`, `dead_letter`, `idempotency`, `pruned_event`, and `grdb_migrations`. <doc:PlainSQL>
    /// shows how to create and read your own tables.
    ///
    /// Only an ``HeadraceSQLite/SQLiteStore`` supports plain SQL. On another store the commit throws `StoreError` with
    /// the code `unsupportedWork`.
    public func perform(_ body: @escaping @Sendable (_ database: Database) throws -> Void) {
        perform(SQLWork(body: body))
    }
}
#endif
