// SPDX-License-Identifier: Apache-2.0

#if SQLite
import DomainTestSupport
import Foundation
import GRDB
import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting
import Testing

/// Files of the version before the names of tables had a prefix, as that version has written them until it was killed.
@Suite(.timeLimit(.minutes(3))) struct GoldenFileTests {
    @Test func theEventsOfAnEarlierVersionAreDelivered() async throws {
        try await withTemporaryFolder { folder in
            let path = try restore("version-10-events", in: folder)
            var lines: [String] = []
            var isDone = false
            while !isDone {
                // One event kills the process at each of its attempts.
                let life = try await CrashSubject.start("poison", path).linesToEnd()
                lines += life
                isDone = life.last == "done"
            }
            // The first four acknowledgements were lost with the process.
            #expect(Set(lines) == Set([1, 2, 3, 4, 6, 7, 8, 9].map { "swallowed \($0)" } + ["done"]))
            #expect(try counts(path, of: ["dead_letter", "event", "delivery"]) == [1, 9, 0])
        }
    }

    @Test func theCommandsOfAnEarlierVersionAreCarriedOutOnce() async throws {
        try await withTemporaryFolder { folder in
            let path = try restore("version-10-commands", in: folder)
            let lines = try await CrashSubject.start("send", path, "0").linesToEnd()
            #expect(lines.last == "done")
            #expect(try counts(path, of: ["dead_letter", "event", "scheduled_message"]) == [0, 16, 0])
        }
    }

    @Test func theTablesOfAnEarlierVersionAreThoseOfANewFile() async throws {
        try await withTemporaryFolder { folder in
            let path = try restore("version-10-events", in: folder)
            try SQLiteStore(path: path, entities: []).close()
            try SQLiteStore(path: folder.path(of: "new.sqlite"), entities: []).close()
            #expect(try columns(path) == columns(folder.path(of: "new.sqlite")))
        }
    }

    /// The numbers of rows of tables of a file that has no damage.
    private func counts(_ path: String, of tables: [String]) throws -> [Int] {
        try withOtherProgram(path) { database in
            let damage = try String.fetchAll(database, sql: "PRAGMA integrity_check")
            let missing = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check")
            #expect(damage == ["ok"] && missing.isEmpty)
            return try tables.compactMap { try Int.fetchOne(database, sql: "SELECT count(*) FROM headrace_\($0)") }
        }
    }

    /// The columns of all tables, and what they refer to.
    private func columns(_ path: String) throws -> [String] {
        try withOtherProgram(path) { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT format('%s %s %s %d %s', t.name, c.name, c.type, c.pk, f."table") FROM sqlite_master t
                    JOIN pragma_table_info(t.name) c LEFT JOIN pragma_foreign_key_list(t.name) f ON f."from" = c.name
                    WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY 1
                    """
            )
        }
    }

    /// Makes the file of a golden file, and returns its path.
    private func restore(_ name: String, in folder: URL) throws -> String {
        let golden = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name).sql")
        let path = folder.path(of: "store.sqlite")
        let statements = try String(contentsOf: golden, encoding: .utf8)
        try withOtherProgram(path) { try $0.execute(sql: statements) }
        return path
    }
}
#endif
