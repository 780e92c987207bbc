// SPDX-License-Identifier: Apache-2.0

#if SQLite
import DomainTestSupport
import Foundation
import GRDB
import HeadraceSQLite
import HeadraceTesting
import Testing

/// Kills and stops processes that fire an hourly schedule, and checks that each hour has fired once.
@Suite(.serialized, .timeLimit(.minutes(60))) struct RecurringScheduleCrashTests {
    /// The fault points, with the minimum number of passes before all hours have fired.
    private static let points = [
        ("after-lease", 10), ("after-handler", 10), ("before-commit", 10), ("after-commit", 10),
    ]

    @Test(arguments: points, 0..<CrashSubject.rounds)
    func eachTimeFiresOnceAcrossKills(point: (name: String, passes: Int), round: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = try await storeWithSchedule(in: folder)
            _ = try await CrashSubject.linesAcrossKills(of: "tick", on: path, at: point, round: round)
            try check(path)
        }
    }

    @Test(arguments: ["after-lease", "after-handler"], 0..<CrashSubject.rounds)
    func aProcessThatIsStoppedPastItsLeasesFiresNothingTwice(point: String, round: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = try await storeWithSchedule(in: folder)
            _ = try await CrashSubject.linesAcrossStop(of: "tick", on: path, at: point, round: round)
            try check(path)
        }
    }

    /// Stores the schedule in hour 1.
    private func storeWithSchedule(in folder: URL) async throws -> String {
        let path = folder.path(of: "store.sqlite")
        #expect(try await CrashSubject.start("tick", path, "0").linesToEnd() == ["done"])
        return path
    }

    private func check(_ path: String) throws {
        try withOtherProgram(path) { database in
            #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM headrace_dead_letter") == 0)
            // The message of the next time.
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM headrace_delivery") == 1)
            let now = try #require(try values("hour", of: "tick-clock", in: database).first)
            let hours = 2...max(3, now)
            #expect(try values("id", of: "tick", in: database).sorted() == Array(hours))
            #expect(try Set(values("count", of: "tick", in: database)) == [1])
            #expect(try values("firingCount", of: "headrace.schedule", in: database) == [hours.count])
        }
    }

    private func values(_ member: String, of kind: String, in database: Database) throws -> [Int] {
        try Int.fetchAll(
            database,
            sql: """
                SELECT json_extract(document, ?)
                FROM headrace_entity JOIN headrace_entity_kind AS entity_kind ON entity_kind.id = kind WHERE name = ?
                """,
            arguments: ["$.\(member)", kind]
        )
    }
}
#endif
