// SPDX-License-Identifier: Apache-2.0

#if Tool
import ArgumentParser
import Foundation
import HeadraceStorage

/// Looks for damage in a file.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Looks for damage in an SQLite file. It reads the whole file."
    )

    @OptionGroup var store: StoreOption

    func run() async throws {
        try await store.run { open in
            guard let findDamage = open.findDamage else {
                throw ToolFailure(
                    description: "A PostgreSQL database has its own check. To fix, run 'pg_amcheck' on the server."
                )
            }
            let damage = try await findDamage()
            if damage.isEmpty { return DamageReport(damage: []) }
            throw ToolFailure(
                description: """
                    The file is damaged:
                    \(damage.joined(separator: "\n"))
                    To fix, stop all programs that use it, and restore a backup.
                    """
            )
        }
    }
}

/// The damage of a file.
struct DamageReport: Report {
    let damage: [String]

    var lines: [String] { ["The file has no damage."] }
}

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

/// Shows the progress of all subscriptions.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows pending deliveries and dead letters of each subscription (the default)."
    )

    @OptionGroup var store: StoreOption

    func run() async throws {
        try await store.run { StatusReport(try await $0.store.deliveryStatistics()) }
    }
}

/// The progress of all subscriptions.
struct StatusReport: Report {
    struct Subscription: Encodable {
        let name: String
        let pending: Int
        let oldestPending: Date?
        let deadLetters: Int
        let pausedSince: Date?
    }

    let lastPosition: Int64
    let pending: Int
    let deadLetters: Int
    let subscriptions: [Subscription]

    init(_ statistics: DeliveryStatistics) {
        lastPosition = statistics.lastPosition
        pending = statistics.pendingCount
        deadLetters = statistics.deadLetterCount
        subscriptions = statistics.subscriptions.map {
            Subscription(
                name: $0.name,
                pending: $0.pendingCount,
                oldestPending: $0.oldestPending,
                deadLetters: $0.deadLetterCount,
                pausedSince: $0.pausedSince
            )
        }
    }

    var lines: [String] {
        ["position of the last event: \(lastPosition)"]
            + subscriptions.map { each in
                let oldest = each.oldestPending.map { ", the oldest of \($0.text)" } ?? ""
                let letters = each.deadLetters == 1 ? "1 dead letter" : "\(each.deadLetters) dead letters"
                let paused = each.pausedSince.map { ", paused since \($0.text)" } ?? ""
                return "\(each.name): \(each.pending) pending\(oldest), \(letters)\(paused)"
            }
    }
}

/// Removes old events and idempotency keys.
struct PruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Removes old events and idempotency keys, in small transactions.",
        discussion: """
            Events that are pending or dead letters stay. A replay can't deliver events that were removed. A projection \
            needs them to be built again, so its next version stops, unless it is declared to skip missing events.
            """
    )

    @Option(help: ArgumentHelp("Removes events that are at least as old.", valueName: "days"))
    var eventDays: Double?

    @Option(help: ArgumentHelp("Removes idempotency keys that are at least as old.", valueName: "days"))
    var keyDays: Double?

    @OptionGroup var change: ChangeOption

    func validate() throws {
        if eventDays == nil, keyDays == nil { throw ValidationError("Name '--event-days' or '--key-days'.") }
        for days in [eventDays, keyDays].compactMap({ $0 }) where !(days >= 0 && days < 1_000_000) {
            throw ValidationError("A number of days must be at least 0 and less than 1,000,000.")
        }
    }

    func run() async throws {
        try await change.run { open, recorder in
            let now = open.store.wallClock?() ?? Date()
            let request = PruneRequest(
                eventsBefore: eventDays.map { now.addingTimeInterval(-$0 * 86_400) },
                idempotencyRecordsBefore: keyDays.map { now.addingTimeInterval(-$0 * 86_400) }
            )
            // It is later than the removed events, so it stays.
            try await recorder.record(
                "prune",
                of: [
                    request.eventsBefore.map { "events before \($0.text)" },
                    request.idempotencyRecordsBefore.map { "keys before \($0.text)" },
                ].compactMap { $0 })
            var count = 0
            while true {
                try Task.checkCancellation()
                let removed = try await open.store.prune(request)
                count += removed
                if removed < request.limit { break }
            }
            return ChangeReport(count, "row", "rows", "removed")
        }
    }
}
#endif
