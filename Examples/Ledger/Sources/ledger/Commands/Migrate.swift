// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Headrace
import LedgerApplication

/// Copies a ledger from an SQLite file into a PostgreSQL database.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies a ledger from a file into a PostgreSQL database, so that several processes can serve it.",
        discussion: """
            Stop all programs that use the file first. The copy has everything, also deliveries and idempotency keys, and \
            is compared with the file. The file doesn't change. If the copy fails, the database doesn't change either.
            """
    )

    @Argument(
        help: "The SQLite file of the ledger.",
        completion: .file(extensions: ["sqlite", "sqlite3", "db"])
    )
    var from: String

    @Argument(help: "The URL of the database. Its parameter 'schema' names a new schema (default: headrace).")
    var to: String

    func validate() throws {
        if LedgerDatabase(from).path == nil {
            throw ValidationError("The source must be an SQLite file, and not the URL of a database.")
        }
        if LedgerDatabase(to).path != nil {
            throw ValidationError("The target must be the URL of a PostgreSQL database, as in postgres://host/books.")
        }
    }

    func run() async throws {
        if !FileManager.default.fileExists(atPath: from) {
            throw CommandFailure("There is no database '\(from)'. To fix, check the name and the folder.")
        }
        let summary = try await Interruption.cancelling { [from, to] in
            try await CommandFailure.telling { try await LedgerDatabase(to).copy(from: from) }
        }
        printLines([
            "Copied and compared:",
            "  \(summary.entityCount) entities",
            "  \(summary.eventCount) events",
            "  \(summary.deliveryCount) deliveries",
            "  \(summary.scheduledMessageCount) scheduled messages",
            "  \(summary.deadLetterCount) dead letters",
            "  \(summary.idempotencyRecordCount) idempotency keys",
            "'\(from)' is unchanged. From now on, use the database with each command.",
        ])
    }
}
