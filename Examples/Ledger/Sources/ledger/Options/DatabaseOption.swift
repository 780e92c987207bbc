// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import LedgerApplication

/// The option for the database, which all commands on a ledger share.
struct DatabaseOption: ParsableArguments {
    /// The environment variable with the default, which keeps a password out of the list of processes.
    static let variable = "LEDGER_DATABASE"

    @Option(
        name: [.customLong("database"), .customShort("d")],
        help: ArgumentHelp(
            """
            The SQLite file of the ledger, or the URL of a PostgreSQL database. (default: the environment variable \
            \(DatabaseOption.variable), or ledger.sqlite)
            """,
            valueName: "database"
        ),
        completion: .file(extensions: ["sqlite", "sqlite3", "db"])
    )
    var text: String?

    /// The place of the ledger.
    var location: LedgerDatabase {
        let variable = ProcessInfo.processInfo.environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
        return LedgerDatabase(text ?? variable ?? "ledger.sqlite")
    }
}
