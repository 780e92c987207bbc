// SPDX-License-Identifier: Apache-2.0

#if Postgres
public import HeadraceCore

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
        guard case .refused(let state, let reason, _) = failure, !failure.isOfServer, !state.hasPrefix("HR") else {
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
#endif
