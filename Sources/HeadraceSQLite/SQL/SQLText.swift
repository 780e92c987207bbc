// SPDX-License-Identifier: Apache-2.0

#if SQLite
public import GRDB
public import HeadraceDomain
import HeadraceStorage

/// Text as it is stored in the file, without NUL: GRDB and most tools treat NUL as the end of the text.
///
/// NUL is written as the scalars 1 1, and 1 as 1 2. No other text changes, different texts stay different, and the
/// order by bytes is preserved.
struct SQLText: DatabaseValueConvertible, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    var databaseValue: DatabaseValue { escaped.databaseValue }

    /// The text in its stored form.
    var escaped: String {
        if text.utf8.allSatisfy({ $0 > 1 }) { return text }
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0: escaped.append(contentsOf: ["\u{1}", "\u{1}"])
            case 1: escaped.append(contentsOf: ["\u{1}", "\u{2}"])
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    static func fromDatabaseValue(_ value: DatabaseValue) -> SQLText? {
        String.fromDatabaseValue(value).map(SQLText.init(stored:))
    }

    /// Converts a text from its stored form.
    init(stored: String) {
        if stored.utf8.allSatisfy({ $0 > 1 }) {
            self.init(stored)
            return
        }
        var text = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in stored.unicodeScalars {
            if isEscaped {
                text.append(scalar == "\u{1}" ? "\0" : "\u{1}")
                isEscaped = false
            } else if scalar == "\u{1}" {
                isEscaped = true
            } else {
                text.append(scalar)
            }
        }
        self.init(String(text))
    }
}

/// Values of an index as one JSON array for `json_each`: a single argument for any number of values.
struct JSONList {
    let text: String

    init(_ values: some Sequence<IndexValue>) {
        var json: [UInt8] = [UInt8(ascii: "[")]
        for value in values {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            switch value {
            case .integer(let number): json.append(contentsOf: String(number).utf8)
            case .text(let text): Self.append(SQLText(text).escaped, to: &json)
            }
        }
        json.append(UInt8(ascii: "]"))
        text = String(decoding: json, as: UTF8.self)
    }

    private static func append(_ text: String, to json: inout [UInt8]) {
        let quote = UInt8(ascii: "\"")
        json.append(quote)
        for byte in text.utf8 {
            switch byte {
            case quote, UInt8(ascii: "\\"):
                json += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                json.append(contentsOf: "\\u00\(byte < 0x10 ? "0" : "")\(digits)".utf8)
            default:
                json.append(byte)
            }
        }
        json.append(quote)
    }
}

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
    /// tables of the store, whose names begin with `headrace_`, or to `grdb_migrations`. <doc:PlainSQL> shows how to create and
    /// read your own tables.
    ///
    /// Only an ``HeadraceSQLite/SQLiteStore`` supports plain SQL. On another store the commit throws `StoreError` with
    /// the code `unsupportedWork`.
    public func perform(_ body: @escaping @Sendable (_ database: Database) throws -> Void) {
        perform(SQLWork(body: body))
    }
}

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

    /// Begins a transaction that reads with a statement that is prepared once.
    func beginReadTransaction() throws {
        try cachedStatement(sql: "BEGIN DEFERRED TRANSACTION").execute()
    }

    /// Commits the open transaction with a statement that is prepared once.
    func commitTransaction() throws {
        try cachedStatement(sql: "COMMIT TRANSACTION").execute()
    }

    /// Runs `body` in a savepoint, completely or not at all.
    ///
    /// The variant of `inSavepoint(_:)` that prepares its statements once. GRDB runs them, and tells the observers of a client.
    ///
    /// - Throws: `DatabaseError`; the errors of `body`.
    func inSavepoint<Value>(_ body: () throws -> Value) throws -> Value {
        try inSavepoint({ try self.cachedStatement(sql: $0).execute() }, body)
    }

    /// Runs `body` in a savepoint whose statements `run` runs.
    func inSavepoint<Value>(_ run: (String) throws -> Void, _ body: () throws -> Value) throws -> Value {
        try run("SAVEPOINT unit_of_work")
        do {
            let value = try body()
            try run("RELEASE unit_of_work")
            return value
        } catch {
            // Without a transaction there is no savepoint.
            if isInsideTransaction {
                try run("ROLLBACK TO unit_of_work")
                try run("RELEASE unit_of_work")
            }
            throw error
        }
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
