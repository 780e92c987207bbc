// SPDX-License-Identifier: Apache-2.0

#if Postgres
public import Foundation
public import HeadraceCore
public import HeadraceDomain
import HeadraceStorage

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

/// An argument of a plain SQL statement, with its type in PostgreSQL.
///
/// If a column has another type, convert the argument in the statement: `$1::numeric`, `$1::date`. Pass `nil` for NULL.
public struct SQLArgument: Hashable, Sendable {
    let type: String

    /// The value in the text format of PostgreSQL, or `nil` for NULL.
    public let text: String?

    /// An argument of the type `bigint`.
    public static func integer(_ value: Int64?) -> SQLArgument {
        SQLArgument(type: "bigint", text: value.map { "\($0)" })
    }

    /// An argument of the type `double precision`.
    public static func double(_ value: Double?) -> SQLArgument {
        SQLArgument(type: "double precision", text: value.map { "\($0)" })
    }

    /// An argument of the type `text`; it must not have the character NUL.
    public static func text(_ value: String?) -> SQLArgument {
        SQLArgument(type: "text", text: value)
    }

    /// An argument of the type `bytea`.
    public static func bytes(_ value: Data?) -> SQLArgument {
        let digits = Array("0123456789abcdef".utf8)
        let text = value.map { data in
            String(decoding: data.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        }
        return SQLArgument(type: "bytea", text: text.map { "\\x" + $0 })
    }

    /// An argument of the type `boolean`.
    public static func flag(_ value: Bool?) -> SQLArgument {
        SQLArgument(type: "boolean", text: value.map { $0 ? "true" : "false" })
    }

    /// An argument of the type `uuid`.
    public static func id(_ value: UUID?) -> SQLArgument {
        SQLArgument(type: "uuid", text: value?.uuidString)
    }
}

/// The error of a plain SQL statement in a unit of work, of which nothing is stored.
///
/// If another session has locked a row, or the statement has raised a serialization failure, the commit throws
/// ``HeadraceStorage/StoreError`` with the code `locked` instead.
public struct PostgresStatementError: CodedError {
    /// The reason for the failure: the SQLSTATE of the server.
    ///
    /// Related documentation: <https://www.postgresql.org/docs/15/errcodes-appendix.html>.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// Five digits and letters, such as `23505`.
        public let sqlState: String

        /// A value violates a unique index.
        public static let uniqueViolation = Code(sqlState: "23505")

        /// A value violates a check constraint.
        public static let checkViolation = Code(sqlState: "23514")

        /// Creates the code for a SQLSTATE.
        public init(sqlState: String) {
            self.sqlState = sqlState
        }

        /// The SQLSTATE.
        public var description: String { sqlState }
    }

    /// The reason for the failure.
    public let code: Code

    /// The message of the server, then the fix.
    public let message: String

    static let nulCharacter = PostgresStatementError(
        code: Code(sqlState: "22021"),
        message: """
            The plain SQL of a unit of work has the character NUL, which PostgreSQL can't keep in text. Nothing was \
            stored. To fix, remove it, or pass the text as bytes.
            """
    )

    private init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// Returns `nil` for a failure of the server or of a lock, which doesn't concern the statement.
    init?(_ failure: PostgresFailure) {
        guard case .refused(let state, let reason, _) = failure, !failure.isOfServer,
            !CommitProcedure.states.contains(state)
        else {
            return nil
        }
        let remedy =
            state == "0A000" || state == "2D000"
            ? "remove BEGIN, COMMIT, and ROLLBACK from the SQL" : "correct the statement or its arguments"
        self.init(
            code: Code(sqlState: state),
            message: """
                The plain SQL of a unit of work failed: \(reason) (SQLSTATE \(state)). Nothing was stored. To fix, \
                \(remedy).
                """
        )
    }
}

/// A plain SQL statement of a unit of work.
struct StatementWork: StoreWork {
    let sql: String
    let arguments: [SQLArgument]

    /// Throws an error if a text has the character NUL, which PostgreSQL can't store in text.
    func requireText() throws {
        let texts = [sql] + arguments.compactMap(\.text)
        if texts.contains(where: { $0.utf8.contains(0) }) { throw PostgresStatementError.nulCharacter }
    }
}
#endif
