// SPDX-License-Identifier: Apache-2.0

#if Postgres
public import HeadraceDomain

extension EntityContext {
    /// Adds a plain SQL statement to the unit of work.
    ///
    /// ```swift
    /// context.perform(
    ///     sql: "UPDATE public.shop_daily_total SET cents = cents + $1 WHERE day = $2::date",
    ///     [.integer(cents), .text(day)]
    /// )
    /// ```
    ///
    /// The statement runs within the transaction of the commit, after all entities are written, in the order of the
    /// calls to `perform`. Its rows are ignored. If it fails, the unit of work is not stored, and the caller of `execute`
    /// receives ``HeadracePostgres/PostgresStatementError``. Other units of work are not affected.
    ///
    /// The statement runs on the server while all writers of the store wait, so it must be brief. It must not begin or
    /// end transactions, must not change settings, and must not write to the tables of the store. The search path is the
    /// schema of the store, so write the schema of your tables: `public.shop_daily_total`. <doc:PlainSQLOnPostgreSQL>
    /// shows how to create and read your own tables.
    ///
    /// Only a ``HeadracePostgres/PostgresStore`` supports such statements. On another store the commit throws `StoreError` with
    /// the code `unsupportedWork`.
    ///
    /// - Parameters:
    ///   - sql: One statement, with `$1` for the first argument.
    ///   - arguments: The arguments.
    public func perform(sql: String, _ arguments: [SQLArgument] = []) {
        perform(StatementWork(sql: sql, arguments: arguments))
    }
}
#endif
