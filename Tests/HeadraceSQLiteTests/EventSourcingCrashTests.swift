// SPDX-License-Identifier: Apache-2.0

#if SQLite
import DomainTestSupport
import Foundation
import GRDB
import HeadraceSQLite
import Testing

/// Kills processes that count in event-sourced counters.
@Suite(.serialized, .timeLimit(.minutes(60))) struct EventSourcingCrashTests {
    /// The fault points, with the minimum number of passes before all is counted.
    private static let points = [
        ("commit-queued", 40), ("before-commit", 10), ("after-commit", 10),
    ]

    @Test(arguments: points, 0..<CrashSubject.rounds)
    func aCounterIsTheFoldOfItsAcknowledgedEventsAcrossKills(
        point: (name: String, passes: Int),
        round: Int
    ) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")

            let lines = try await CrashSubject.linesAcrossKills(of: "count", on: path, at: point, round: round)

            try CrashSubject.checkCounts(in: lines)
            let integrity = try withOtherProgram(path) { database in
                try String.fetchAll(database, sql: "PRAGMA integrity_check")
            }
            #expect(integrity == ["ok"])
        }
    }
}
#endif
