// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import GRDBSQLite
import HeadraceStorage

/// A prepared statement of a GRDB connection, run with the C functions of SQLite.
///
/// GRDB's own way converts each argument to a `DatabaseValue` and each text to a `String`. For small rows this takes
/// longer than SQLite itself. So the store's own statements bind bytes and read columns directly.
///
/// The code is safe for these reasons:
///
/// - Lifetime: the pointer belongs to a `Statement` of GRDB, which finalizes it in its `deinit`. The cache of the
///   connection keeps the statement until the connection closes, and `withPreparedStatement(_:_:)` keeps it for the
///   duration of its closure. This type is not copyable and has no public pointer, so the pointer can't leave the
///   closure.
/// - Threads: a connection closes and runs its statements on its serial queue only. The closure runs on that queue,
///   because GRDB passes a `Database` to no other thread.
/// - Arguments: SQLite copies the bytes before each function that binds returns (`SQLITE_TRANSIENT`).
/// - Columns: their bytes are copied before the next step. SQLite keeps them until then.
///   <https://www.sqlite.org/c3ref/column_blob.html>
/// - State: the statement is reset and its arguments are removed when the closure ends, so that GRDB can use the
///   statement too. A failed statement can run again after a reset. <https://www.sqlite.org/c3ref/reset.html>
@safe
struct PreparedStatement: ~Copyable {
    private let pointer: SQLiteStatement
    private var argumentCount: CInt = 0

    /// The first error of binding an argument.
    ///
    /// ``next()`` throws it.
    private var bindingCode = SQLITE_OK

    fileprivate init(_ pointer: SQLiteStatement) {
        unsafe self.pointer = pointer
    }

    // MARK: Arguments

    /// Binds a number or NULL to the next argument.
    mutating func bind(_ number: Int64?) {
        argumentCount += 1
        if let number {
            record(unsafe sqlite3_bind_int64(pointer, argumentCount, number))
        } else {
            record(unsafe sqlite3_bind_null(pointer, argumentCount))
        }
    }

    /// Binds a number to the next argument.
    mutating func bind(_ number: Int) {
        bind(Int64(number))
    }

    /// Binds a text, in its stored form, or NULL to the next argument.
    ///
    /// The stored form is described at ``SQLText``.
    mutating func bind(_ text: String?) {
        guard let text else { return bind(nil as Int64?) }
        var stored = SQLText(text).escaped
        stored.withUTF8 { unsafe bind(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Binds a value of an index to the next argument.
    mutating func bind(_ value: IndexValue) {
        switch value {
        case .integer(let number): bind(number)
        case .text(let text): bind(text)
        }
    }

    /// Binds UTF-8, without a conversion, as text to the next argument.
    mutating func bind(utf8 data: Data) {
        unsafe data.withUnsafeBytes { unsafe bind(bytes: $0) }
    }

    private mutating func bind(bytes: UnsafeRawBufferPointer) {
        argumentCount += 1
        // SQLite takes a missing address for NULL. An empty buffer may have no address.
        let code = unsafe withUnsafeBytes(of: UInt8(0)) { empty in
            unsafe sqlite3_bind_text64(
                pointer,
                argumentCount,
                (bytes.baseAddress ?? empty.baseAddress)?.assumingMemoryBound(to: CChar.self),
                UInt64(bytes.count),
                // SQLITE_TRANSIENT: SQLite copies the bytes. Swift doesn't import the macro, which casts a number.
                unsafeBitCast(-1, to: sqlite3_destructor_type.self),
                UInt8(SQLITE_UTF8)
            )
        }
        record(code)
    }

    private mutating func record(_ code: CInt) {
        if bindingCode == SQLITE_OK { bindingCode = code }
    }

    // MARK: Rows

    /// Advances to the next row, or returns `false` if there is none.
    ///
    /// - Throws: `DatabaseError`; `CancellationError` if the read was interrupted because its task is cancelled.
    mutating func next() throws -> Bool {
        if bindingCode != SQLITE_OK { throw error(bindingCode) }
        switch unsafe sqlite3_step(pointer) {
        case SQLITE_ROW:
            return true
        case SQLITE_DONE:
            return false
        case let code:
            if [SQLITE_INTERRUPT, SQLITE_ABORT].contains(code) { try Task.checkCancellation() }
            throw error(code)
        }
    }

    /// Runs the statement to its end.
    ///
    /// - Throws: `DatabaseError`.
    mutating func run() throws {
        while try next() {}
    }

    /// Whether a column of the row is NULL.
    func isNull(_ column: CInt) -> Bool {
        unsafe sqlite3_column_type(pointer, column) == SQLITE_NULL
    }

    /// Returns the number in a column of the row.
    ///
    /// - Throws: `DatabaseError` with the code `SQLITE_CORRUPT` if the column has a value of another type.
    func integer<Number: FixedWidthInteger>(_ column: CInt) throws -> Number {
        guard unsafe sqlite3_column_type(pointer, column) == SQLITE_INTEGER,
            let number = Number(exactly: unsafe sqlite3_column_int64(pointer, column))
        else { throw unexpectedValue(column) }
        return number
    }

    /// Returns the text in a column of the row, converted from its stored form.
    ///
    /// - Throws: `DatabaseError` with the code `SQLITE_CORRUPT` if the column has a value of another type.
    func text(_ column: CInt) throws -> String {
        try SQLText(stored: unsafe withBytes(column) { unsafe String(decoding: $0, as: UTF8.self) }).text
    }

    /// Returns the number or the text in a column of the row.
    ///
    /// - Throws: `DatabaseError` with the code `SQLITE_CORRUPT` if the column has a value of another type.
    func value(_ column: CInt) throws -> IndexValue {
        unsafe sqlite3_column_type(pointer, column) == SQLITE_INTEGER
            ? .integer(try integer(column)) : .text(try text(column))
    }

    /// Returns the UTF-8 of the text in a column of the row.
    ///
    /// - Throws: `DatabaseError` with the code `SQLITE_CORRUPT` if the column has a value of another type.
    func utf8(_ column: CInt) throws -> Data {
        try unsafe withBytes(column) { unsafe Data($0) }
    }

    private func withBytes<Value>(_ column: CInt, _ body: (UnsafeRawBufferPointer) -> Value) throws -> Value {
        guard unsafe sqlite3_column_type(pointer, column) == SQLITE_TEXT else { throw unexpectedValue(column) }
        // The order of these calls matters: the second returns the length of what the first returns.
        guard let text = unsafe sqlite3_column_text(pointer, column) else { throw error(SQLITE_NOMEM) }
        let count = Int(unsafe sqlite3_column_bytes(pointer, column))
        return unsafe body(UnsafeRawBufferPointer(start: text, count: count))
    }

    // MARK: Errors

    /// The error that GRDB would throw for `code`, without the arguments.
    private func error(_ code: CInt) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: unsafe String(cString: sqlite3_errmsg(sqlite3_db_handle(pointer))),
            sql: sql
        )
    }

    private func unexpectedValue(_ column: CInt) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_CORRUPT,
            message: "column \(column) has a value of another type",
            sql: sql
        )
    }

    private var sql: String {
        unsafe String(cString: sqlite3_sql(pointer))
    }
}

extension Database {
    /// Runs `body` with the statement `sql`, which is prepared once for each connection.
    ///
    /// `body` must not run the same statement again.
    ///
    /// - Throws: `DatabaseError`; the errors of `body`.
    func withPreparedStatement<Value>(
        _ sql: String,
        _ body: (inout PreparedStatement) throws -> Value
    ) throws -> Value {
        let statement = try cachedStatement(sql: sql)
        return try withExtendedLifetime(statement) {
            let pointer = unsafe statement.sqliteStatement
            defer {
                // Both repeat the error of the last step, which was thrown.
                _ = unsafe sqlite3_reset(pointer)
                _ = unsafe sqlite3_clear_bindings(pointer)
            }
            var prepared = unsafe PreparedStatement(pointer)
            return try body(&prepared)
        }
    }
}
#endif
