// SPDX-License-Identifier: Apache-2.0

#if SQLite
import DomainTestSupport
import Foundation
import GRDB
import HeadraceSQLite
import HeadraceTesting
import Testing

/// Kills processes that raise events in transactions of their own, and checks the tables of the program.
@Suite(.serialized, .timeLimit(.minutes(20))) struct ProgramCrashTests {
    /// The fault points, with the greatest pass at which a process is killed.
    private static let points = [
        ("raised", 120), ("before-commit", 60), ("after-commit", 60), ("after-lease", 12), ("before-acknowledge", 12),
    ]

    /// At least 2,000 transactions, in processes that are killed at passes that a seed chooses.
    @Test(arguments: [7 as UInt64]) func eachCommittedRowIsConfirmedOnceAcrossKills(seed: UInt64) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "shop.sqlite")
            var random = SeededGenerator(seed: seed)
            var lines: [String] = []
            var kills = 0
            for life in 0..<15 {
                let point = Self.points[life % Self.points.count]
                let passes = Int.random(in: 1...point.1, using: &random)
                let subject = try CrashSubject.start("raise", path, "40", at: point.0, pass: passes)
                lines += try await subject.linesToEnd()
                if await subject.wasKilled { kills += 1 }
            }
            lines += try await CrashSubject.start("raise", path, "500").linesToEnd()

            #expect(lines.last == "done")
            #expect(kills >= 12)
            #expect(try check(path, lines) >= 1_600)
        }
    }

    @Test func twoProcessesRaiseEventsInOneDatabase() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "shop.sqlite")
            // The migrator of a program doesn't exclude that of another process.
            _ = try await CrashSubject.start("raise", path, "0").linesToEnd()
            let subjects = try (0..<2).map { _ in try CrashSubject.start("raise", path, "50") }
            var lines: [String] = []
            for subject in subjects { lines += try await subject.linesToEnd() }
            #expect(lines.count { $0 == "done" } == 2)
            #expect(try check(path, lines) == 2 * 4 * 40)
        }
    }

    /// Checks that each row, and nothing else, was confirmed once, and in order for each customer.
    ///
    /// - Returns: The number of rows.
    private func check(_ path: String, _ lines: [String]) throws -> Int {
        try withOtherProgram(path) { database in
            let bought = try Int.fetchAll(database, sql: "SELECT number FROM purchase ORDER BY number")
            let said = Set(lines.filter { $0.hasPrefix("bought") }.compactMap { Int($0.dropFirst("bought ".count)) })
            #expect(said.isSubset(of: bought), "a row that was acknowledged is lost")
            #expect(try Int.fetchAll(database, sql: "SELECT number FROM confirmation ORDER BY number") == bought)
            for customer in 0..<4 {
                let inOrder = try Int.fetchAll(
                    database,
                    sql: "SELECT number FROM confirmation WHERE customer = ? ORDER BY rowid",
                    arguments: ["\(customer)"]
                )
                #expect(inOrder == inOrder.sorted())
            }
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM headrace_delivery") == 0)
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM headrace_dead_letter") == 0)
            #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
            return bought.count
        }
    }
}
#endif
