// SPDX-License-Identifier: Apache-2.0

#if SQLite
import DomainTestSupport
import Foundation
import GRDB
import HeadraceSQLite
import Testing

/// Kills and stops processes that send and dispatch durable commands, and checks the results of the processes after them.
@Suite(.serialized, .timeLimit(.minutes(60))) struct DurableCommandCrashTests {
    /// The fault points, with the minimum number of passes before all commands are handled.
    private static let points = [
        ("after-lease", 3), ("after-handler", 60), ("before-acknowledge", 3), ("before-commit", 20),
        ("after-commit", 20),
    ]

    @Test(arguments: points, 0..<CrashSubject.rounds)
    func aCommandTakesEffectOnceForEachCommittedSaleAcrossKills(
        point: (name: String, passes: Int),
        round: Int
    ) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let lines = try await CrashSubject.linesAcrossKills(of: "send", on: path, at: point, round: round)
            try check(path, lines)
        }
    }

    @Test(arguments: ["after-lease", "after-handler", "before-acknowledge"], 0..<CrashSubject.rounds)
    func aProcessThatIsStoppedPastItsLeasesDispatchesNothingTwice(point: String, round: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let lines = try await CrashSubject.linesAcrossStop(of: "send", on: path, at: point, round: round)
            try check(path, lines.before + lines.resumed)
        }
    }

    /// Checks the content of the store and `lines`, the output of the processes.
    private func check(_ path: String, _ lines: [String]) throws {
        let stored = try withOtherProgram(path) { database in
            #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM headrace_delivery") == 0)
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM headrace_dead_letter") == 0)
            let sold = try numbers("json_extract(document, '$.count')", of: "shop", in: database)
            #expect(try numbers("json_array_length(document, '$.numbers')", of: "till", in: database) == sold)
            #expect(
                try numbers("json_array_length(document, '$.mistakes')", of: "till", in: database).values.max() == 0)

            // Each result is one event.
            let results = try Row.fetchAll(
                database,
                sql:
                    "SELECT json_extract(document, '$.shop') AS shop, json_extract(document, '$.number') AS number FROM headrace_event"
            ).map { "\($0["shop"] as String) \($0["number"] as Int)" }
            let sales = sold.flatMap { shop, count in (1...max(1, count)).map { "\(shop) \($0)" } }
            #expect(results.sorted() == sales.sorted())
            return sold
        }
        try CrashSubject.check("sold", in: lines, stored: stored)
    }

    private func numbers(_ expression: String, of kind: String, in database: Database) throws -> [String: Int] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT key, \(expression) AS number
                FROM headrace_entity JOIN headrace_entity_kind AS entity_kind ON entity_kind.id = kind WHERE name = ?
                """,
            arguments: [kind]
        )
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["key"], $0["number"]) })
    }
}
#endif
