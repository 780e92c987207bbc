// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB

extension Database {
    /// Runs the statement `sql` with the arguments that `bind` binds.
    ///
    /// - Throws: `DatabaseError`.
    func run(_ sql: String, _ bind: (inout PreparedStatement) -> Void = { _ in }) throws {
        try withPreparedStatement(sql) { statement in
            bind(&statement)
            try statement.run()
        }
    }

    /// Returns the number in the first column of the first row; `nil` if there is no row, or if the column is NULL.
    ///
    /// - Throws: `DatabaseError`.
    func integer(_ sql: String, _ bind: (inout PreparedStatement) -> Void = { _ in }) throws -> Int64? {
        try withPreparedStatement(sql) { statement in
            bind(&statement)
            return try statement.next() && !statement.isNull(0) ? try statement.integer(0) : nil
        }
    }

    /// Runs `body` in a transaction that takes the write lock before it begins.
    ///
    /// The variant of `inTransaction(_:_:)` for the store's own statements: GRDB prepares `BEGIN` and `COMMIT` each time.
    ///
    /// - Throws: `DatabaseError`; the errors of `body`. Nothing is stored then.
    func inWriteTransaction<Value>(_ body: () throws -> Value) throws -> Value {
        try inTransaction("BEGIN IMMEDIATE TRANSACTION", body)
    }

    /// Runs `body` in a transaction that reads from one snapshot.
    ///
    /// - Throws: `DatabaseError`; the errors of `body`.
    func inReadTransaction<Value>(_ body: () throws -> Value) throws -> Value {
        try inTransaction("BEGIN DEFERRED TRANSACTION", body)
    }

    /// Begins a transaction with a statement that is prepared once.
    func beginWriteTransaction() throws {
        try cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
    }

    /// Commits the open transaction with a statement that is prepared once.
    func commitTransaction() throws {
        try cachedStatement(sql: "COMMIT TRANSACTION").execute()
    }

    private func inTransaction<Value>(_ beginning: String, _ body: () throws -> Value) throws -> Value {
        // GRDB runs both statements: it keeps the date of a transaction, and notifies the observers of a client.
        try cachedStatement(sql: beginning).execute()
        do {
            let value = try body()
            try commitTransaction()
            return value
        } catch {
            if isInsideTransaction { try? rollback() }
            throw error
        }
    }
}
#endif
