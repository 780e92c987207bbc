// SPDX-License-Identifier: Apache-2.0

#if Postgres
/// Why a statement has no result.
enum PostgresFailure: Error {
    /// No connection exists, so nothing was sent.
    case unreachable(String)

    /// The connection ended after the statement was sent, so its effect is unknown.
    case lost(String)

    /// The server refused the statement, with a state of the SQL standard.
    ///
    /// Related documentation: <https://www.postgresql.org/docs/15/errcodes-appendix.html>.
    ///
    /// `context` names the statements of functions that were running; it is empty if there were none.
    case refused(state: String, message: String, context: String = "")

    /// The store was closed.
    case closed

    /// Whether the connection can't be used any longer.
    var isOfConnection: Bool {
        switch self {
        case .unreachable, .lost: true
        case .refused(let state, _, _): state.hasPrefix("57P") || state.hasPrefix("08")
        case .closed: false
        }
    }

    /// Whether the cause is the server, its resources, or a lock, and not the refused statement.
    var isOfServer: Bool {
        guard case .refused(let state, _, _) = self else { return true }
        return ["08", "25", "40", "53", "55", "57", "58", "F0", "XX"].contains { state.hasPrefix($0) }
    }
}
#endif
