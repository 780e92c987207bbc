// SPDX-License-Identifier: Apache-2.0

#if Tool
import ArgumentParser
import Foundation
import HeadraceStorage

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
