// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceStorage

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
