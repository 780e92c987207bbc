// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The database of the tests: SQLite files by default, and a PostgreSQL server if `Scripts/postgres` runs them.
public enum TestDatabase {
    /// Why a test is skipped with a PostgreSQL server.
    public enum FileOnly: String, Sendable {
        case file = "This test is about the SQLite file of a ledger, and a server has no such file."
        case journals =
            "This test is about the journals beside an SQLite file. With a server, they are in the database."
        case longNames = "This test uses names of more than 1,000 bytes, which PostgreSQL can't index."
    }

    /// The URL of the server, or `nil` for SQLite files.
    public static let server: String? = ProcessInfo.processInfo.environment["HEADRACE_POSTGRES_URL"]

    /// Returns the URL of a schema that doesn't exist yet, or `nil` for SQLite files.
    public static func makeSchema() -> String? {
        server.map { "\($0)\($0.contains("?") ? "&" : "?")schema=ledger-\(UUID())" }
    }
}
