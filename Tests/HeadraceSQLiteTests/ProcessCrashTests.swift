// SPDX-License-Identifier: Apache-2.0

#if SQLite
import DomainTestSupport
import Foundation
import GRDB
import HeadraceSQLite
import Testing

/// Kills and stops processes of the operating system that run process managers, and checks that each event, command, and time-out
/// has taken effect once.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ProcessCrashTests {
    /// The fault points, with the minimum number of passes before all jobs have ended.
    private static let points = [
        ("after-lease", 3), ("after-handler", 60), ("before-commit", 10), ("after-commit", 10),
    ]

    @Test(arguments: points, 0..<CrashSubject.rounds)
    func eachJobEndsOnceAcrossKills(point: (name: String, passes: Int), round: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let lines = try await CrashSubject.linesAcrossKills(of: "process", on: path, at: point, round: round)
            try check(path, lines)
        }
    }

    @Test(arguments: ["after-lease", "after-handler"], 0..<CrashSubject.rounds)
    func aProgramThatIsStoppedPastItsLeasesRepeatsNothing(point: String, round: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let lines = try await CrashSubject.linesAcrossStop(of: "process", on: path, at: point, round: round)
            try check(path, lines.before + lines.resumed)
        }
    }

    private func check(_ path: String, _ lines: [String]) throws {
        try withOtherProgram(path) { database in
            #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM headrace_dead_letter") == 0)
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM headrace_delivery") == 0)

            let begun = try values("count", of: "job-counter", in: database)
            let expected = begun.flatMap { shop, count in
                let count = Int(count) ?? 0
                return count == 0
                    ? [] : (1...count).map { "job/\(shop) \($0) \($0.isMultiple(of: 2) ? "givenUp" : "done")" }
            }
            let processes = try values("step", of: "headrace.process", in: database)
            #expect(processes.map { "\($0.key) \($0.value)" }.sorted() == expected.sorted())
            // The event that begins the job, and its answer or its time-out.
            #expect(try Set(values("handledCount", of: "headrace.process", in: database).values) == ["2"])
            #expect(try Set(values("lateCount", of: "headrace.process", in: database).values) == ["0"])
            #expect(try values("endedAt", of: "headrace.process", in: database).count == processes.count)

            #expect(try Set(values("mistakes", of: "job-book", in: database).values) == ["[]"])
            let done = try values("done", of: "job-book", in: database)
            let givenUp = try values("givenUp", of: "job-book", in: database)
            for (shop, count) in begun {
                let numbers = Array(1...max(1, Int(count) ?? 0))
                #expect(done[shop] == text(numbers))
                #expect(givenUp[shop] ?? "[]" == text(numbers.filter { $0.isMultiple(of: 2) }))
            }
            try CrashSubject.check("begun", in: lines, stored: begun.compactMapValues { Int($0) })
        }
    }

    private func text(_ numbers: [Int]) -> String { "[\(numbers.map(String.init).joined(separator: ","))]" }

    /// A member of each entity of a kind as text, by key.
    private func values(_ member: String, of kind: String, in database: Database) throws -> [String: String] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT json_extract(document, '$.id') AS id, CAST(json_extract(document, ?) AS TEXT) AS value
                FROM headrace_entity JOIN headrace_entity_kind AS entity_kind ON entity_kind.id = kind
                WHERE name = ? AND value IS NOT NULL
                """,
            arguments: ["$.\(member)", kind]
        )
        return rows.reduce(into: [:]) { $0[$1["id"]] = $1["value"] }
    }
}
#endif
