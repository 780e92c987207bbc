// SPDX-License-Identifier: Apache-2.0

#if SQLite
import DomainTestSupport
import Foundation
import GRDB
import HeadraceSQLite
import HeadraceTesting
import Testing

/// Kills and stops processes that deliver, and checks the results of the processes after them.
///
/// The environment variable `HEADRACE_CRASH_ROUNDS` sets the number of rounds, two for each fault point by default.
@Suite(.serialized, .timeLimit(.minutes(60))) struct RelayCrashTests {
    /// The fault points, with the minimum number of passes before all messages are delivered.
    private static let points = [
        ("after-lease", 3), ("after-handler", 100), ("before-acknowledge", 3), ("before-commit", 20),
        ("after-commit", 20),
    ]

    @Test(arguments: points, 0..<CrashSubject.rounds)
    func eventsAreHandledInOrderAndTakeEffectOnceAcrossKills(
        point: (name: String, passes: Int),
        round: Int
    ) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let lines = try await CrashSubject.linesAcrossKills(of: "relay", on: path, at: point, round: round)
            try check(path, lines)
        }
    }

    @Test(arguments: ["after-lease", "after-handler", "before-acknowledge"], 0..<CrashSubject.rounds)
    func aProcessThatIsStoppedPastItsLeasesCannotUseThem(point: String, round: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let lines = try await CrashSubject.linesAcrossStop(of: "relay", on: path, at: point, round: round)
            #expect(lines.resumed.contains("lost"), "a late acknowledgement was not refused, or not reported")
            try check(path, lines.before + lines.resumed, handlersCanBeLate: true)
        }
    }

    @Test func aHandlerThatKillsTheProcessIsADeadLetterAndDelaysNothingElse() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            var lines: [String] = []
            var kills = 0
            while lines.last != "done", kills < 10 {
                let subject = try CrashSubject.start("poison", path)
                lines += try await subject.linesToEnd()
                if await subject.wasKilled { kills += 1 }
            }

            // The first attempt isn't counted.
            #expect(kills == 4)
            #expect(
                Set(lines.filter { $0.hasPrefix("swallowed") })
                    == Set([1, 2, 3, 4, 6, 7, 8, 9].map { "swallowed \($0)" }))
            try withOtherProgram(path) { database in
                let letters = try Row.fetchAll(database, sql: "SELECT attempts, reason FROM headrace_dead_letter")
                #expect(letters.map { $0["attempts"] } == [3])
                #expect(letters.allSatisfy { ($0["reason"] as String).contains("ended with its process") })
            }
        }
    }

    @Test func aHandlerThatKillsTheProcessUsesUpNoAttemptsOfOtherStreams() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            var lines: [String] = []
            var kills = 0
            while lines.last != "done", kills < 10 {
                let subject = try CrashSubject.start("crowd", path)
                lines += try await subject.linesToEnd()
                if await subject.wasKilled { kills += 1 }
            }

            // The first attempt isn't counted, unless an earlier lease of the process expired.
            #expect((4...5).contains(kills))
            let admitted = lines.filter { $0.hasPrefix("admitted") }
            #expect(Set(admitted) == Set((0..<60).filter { $0 != 5 }.map { "admitted \($0)" }))
            try withOtherProgram(path) { database in
                let attempts = try Int.fetchAll(database, sql: "SELECT attempts FROM headrace_dead_letter")
                #expect(attempts == [4])
            }
        }
    }

    /// Checks the content of the store and `lines`, the output of the processes.
    private func check(_ path: String, _ lines: [String], handlersCanBeLate: Bool = false) throws {
        let stored = try withOtherProgram(path) { database in
            #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM headrace_delivery") == 0)
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM headrace_dead_letter") == 0)
            #expect(
                try String.fetchAll(
                    database,
                    sql: """
                        SELECT document FROM headrace_entity JOIN headrace_entity_kind AS entity_kind ON entity_kind.id = kind
                        WHERE name = 'mirror' AND json_array_length(document, '$.mistakes') > 0
                        """
                ) == [], "out of order, or repeated"
            )
            #expect(try counts(of: "mirror", in: database) == counts(of: "account", in: database))
            return try counts(of: "account", in: database)
        }

        try CrashSubject.checkDeposits(in: lines, stored: stored, handlersCanBeLate: handlersCanBeLate)
    }

    private func counts(of kind: String, in database: Database) throws -> [String: Int] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT key, json_extract(document, '$.count') AS count
                FROM headrace_entity JOIN headrace_entity_kind AS entity_kind ON entity_kind.id = kind WHERE name = ?
                """,
            arguments: [kind]
        )
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["key"], $0["count"]) })
    }
}
#endif
