// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
import HeadraceStorage

extension SQLiteStore {
    /// Returns the damage that SQLite finds in the file: damaged pages and indexes, and references to missing rows.
    ///
    /// It reads the whole file. Other programs can write meanwhile.
    /// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_integrity_check>.
    ///
    /// - Returns: A sentence of SQLite for each place, at most about 200; empty if there is no damage.
    /// - Throws: ``HeadraceStorage/StoreError`` if the file can't be read, with the code `corrupt` if it is damaged too
    ///   much for the check; `CancellationError`.
    public func findDamage() async throws -> [String] {
        try await read { database in
            let problems = try String.fetchAll(database, sql: "PRAGMA integrity_check(100)").filter { $0 != "ok" }
            let missing = try Row.fetchCursor(database, sql: "PRAGMA foreign_key_check").prefix(100).map { row in
                // A table without row numbers has none in the result either.
                let number: Int64? = row["rowid"]
                let place = number.map { "row \($0)" } ?? "a row"
                return
                    "\(place) of the table '\(row["table"] ?? "")' refers to a missing row of '\(row["parent"] ?? "")'"
            }
            return try problems + Array(missing)
        }
    }
}
#endif
