//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
    case refused(state: String, message: String)

    /// The store was closed.
    case closed

    /// Whether the connection can't be used any longer.
    var isOfConnection: Bool {
        switch self {
        case .unreachable, .lost: true
        case .refused(let state, _): state.hasPrefix("57P") || state.hasPrefix("08")
        case .closed: false
        }
    }
}
#endif
