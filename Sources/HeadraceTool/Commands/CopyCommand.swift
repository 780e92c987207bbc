// SPDX-License-Identifier: Apache-2.0

#if Tool
import ArgumentParser
import Foundation
import HeadraceStorage
#if SQLite && Postgres
import HeadracePostgres
import HeadraceSQLite
#endif

/// Copies an SQLite file into a PostgreSQL database.
struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copies everything in an SQLite file into an empty schema of a PostgreSQL database.",
        discussion: """
            End all programs that use the file: if one changes it meanwhile, nothing is copied. The copy is one transaction, and \
            each row is compared with the original. The program builds its indexes when it opens the copy.
            """,
        aliases: ["migrate"]
    )

    @Argument(help: "The SQLite file.", completion: .file(extensions: ["sqlite", "sqlite3", "db"]))
    var from: String

    @Argument(help: "The URL of the PostgreSQL database.")
    var to: String

    @Option(help: "The schema of the PostgreSQL database; 'headrace' by default.")
    var schema: String?

    @Flag(help: "Print JSON for scripts. Its members are stable: later versions only add some.")
    var json = false

    func run() async throws {
        let report = try await ToolFailure.translating { CopyReport(try await copy()) }
        try report.print(asJSON: json)
    }

    #if SQLite && Postgres
    private func copy() async throws -> StoreCopySummary {
        // Opening would create the file.
        if !FileManager.default.fileExists(atPath: from) { throw ToolFailure.noFile(from) }
        var configuration = PostgresStore.Configuration()
        if let schema { configuration.schema = schema }
        let store = try SQLiteStore(path: from, entities: [])
        do {
            let summary = try await PostgresStore.copy(
                try await store.contents(), to: to, entities: [], configuration: configuration)
            try store.close()
            return summary
        } catch {
            // The first error is more important than an error of closing.
            try? store.close()
            throw error
        }
    }
    #else
    private func copy() async throws -> StoreCopySummary { throw ToolFailure.without("SQLite,Postgres") }
    #endif
}

/// Numbers of the copied rows.
struct CopyReport: Report {
    let entities: Int
    let events: Int
    let deliveries: Int
    let scheduledMessages: Int
    let deadLetters: Int
    let idempotencyKeys: Int

    init(_ summary: StoreCopySummary) {
        entities = summary.entityCount
        events = summary.eventCount
        deliveries = summary.deliveryCount
        scheduledMessages = summary.scheduledMessageCount
        deadLetters = summary.deadLetterCount
        idempotencyKeys = summary.idempotencyRecordCount
    }

    var lines: [String] {
        [
            "copied entities: \(entities)", "copied events: \(events)", "copied pending deliveries: \(deliveries)",
            "copied scheduled messages: \(scheduledMessages)", "copied dead letters: \(deadLetters)",
            "copied idempotency keys: \(idempotencyKeys)",
        ]
    }
}
#endif
