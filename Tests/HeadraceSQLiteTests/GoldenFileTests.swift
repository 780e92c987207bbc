// SPDX-License-Identifier: Apache-2.0

#if SQLite
import DomainTestSupport
import Foundation
import GRDB
import HeadraceSQLite
import HeadraceStorage
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
                let life = try await CrashSubject("poison", path).linesToEnd()
                lines += life
                isDone = life.last == "done"
            }
            #expect(Set(lines) == Set([6, 7, 8, 9].map { "swallowed \($0)" } + ["done"]))
            try withOtherProgram(path) { database in
                #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM headrace_dead_letter") == 1)
                #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM headrace_event") == 9)
                #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
                #expect(try Row.fetchAll(database, sql: "PRAGMA foreign_key_check").isEmpty)
            }
        }
    }

    @Test func theCommandsOfAnEarlierVersionAreCarriedOutOnce() async throws {
        try await withTemporaryFolder { folder in
            let path = try restore("version-10-commands", in: folder)
            let lines = try await CrashSubject("send", path, "0", "none", "1", "9").linesToEnd()
            #expect(lines.last == "done")
            try withOtherProgram(path) { database in
                #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM headrace_scheduled_message") == 0)
                #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM headrace_dead_letter") == 0)
                #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM headrace_event") == 16)
            }
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
