// SPDX-License-Identifier: Apache-2.0

#if SQLite
import DomainTestSupport
import Foundation
import GRDB
import HeadraceSQLite
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct ProjectionCrashTests {
    /// The fault points, with the minimum number of passes before all events are applied.
    private static let points = [
        ("commit-queued", 40), ("before-commit", 10), ("after-commit", 10), ("after-handler", 40),
    ]

    @Test(arguments: points, 0..<CrashSubject.rounds)
    func eachEventIsAppliedOnceInOrderAcrossKills(point: (name: String, passes: Int), round: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let lines = try await CrashSubject.linesAcrossKills(of: "project", on: path, at: point, round: round)
            try check(path, lines)
        }
    }

    @Test(arguments: 0..<CrashSubject.rounds)
    func aProcessThatIsStoppedPastItsLeaseAppliesNothingTwice(round: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let lines = try await CrashSubject.linesAcrossStop(
                of: "project", on: path, at: "after-handler", round: round)
            try check(path, lines.resumed)
        }
    }

    /// Checks that the last process has found all events in its rows; each process compares its rows with the log.
    private func check(_ path: String, _ lines: [String]) throws {
        try withOtherProgram(path) { database in
            #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
            let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM headrace_event") ?? 0
            #expect(count > 0)
            #expect(lines.suffix(3) == ["counters \(count)", "rebuilt \(count)", "done"])
        }
    }
}
#endif
