// SPDX-License-Identifier: Apache-2.0

#if SQLite
import DomainTestSupport
import Foundation
import GRDB
import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting
import Testing

/// Kills a writing process at each fault point, and checks the content of the store.
///
/// The environment variable `HEADRACE_CRASH_ROUNDS` sets the number of rounds, two for each fault point by default.
@Suite(.serialized, .timeLimit(.minutes(60))) struct CrashTests {
    private static let points: [FaultPoint] =
        [.commitQueued, .beforeCommit, .insideGroupCommit, .afterCommit, .inMigration]

    @Test(arguments: points, 0..<CrashSubject.rounds)
    func acknowledgedUnitsOfWorkAreStoredAndNoneIsPartlyStored(point: FaultPoint, round: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            var acknowledged: Set<String> = []
            // The second process opens the file that the first process left.
            for life in 0..<2 {
                let passes = point == .inMigration ? 1 : 1 + (round * 37 + life * 13) % 200
                let subject = try CrashSubject.start(
                    "write", path, "\(round * 2 + life)", at: point.rawValue, pass: passes)
                let lines = try await subject.linesToEnd()
                #expect(await subject.wasKilled || lines.last == "done")
                acknowledged.formUnion(lines.filter { $0 != "done" })
                if FileManager.default.fileExists(atPath: path) { try check(path, acknowledged: acknowledged) }
            }
        }
    }

    private func check(_ path: String, acknowledged: Set<String>) throws {
        try withOtherProgram(path) { database in
            #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
            guard try database.tableExists("headrace_entity") else {
                #expect(acknowledged.isEmpty)
                return
            }
            let entries = try String.fetchAll(
                database,
                sql: """
                    SELECT key FROM headrace_entity JOIN headrace_entity_kind AS entity_kind ON entity_kind.id = kind
                    WHERE name = 'entry' ORDER BY key
                    """
            )
            let events = try String.fetchAll(
                database,
                sql: "SELECT json_extract(document, '$.id') FROM headrace_event ORDER BY 1"
            )
            let total = try Int.fetchOne(
                database,
                sql: "SELECT json_extract(document, '$.count') FROM headrace_entity WHERE key = 'total'"
            )

            #expect(acknowledged.subtracting(entries).isEmpty, "acknowledged, but lost")
            #expect(events == entries, "an entry without its event, an event without its entry, or a repeated event")
            #expect(total ?? 0 == entries.count, "a change of several entities that was partly stored")
            #expect(!entries.contains { $0.hasPrefix("refused") }, "rolled back, but stored")
        }
    }
}
#endif
