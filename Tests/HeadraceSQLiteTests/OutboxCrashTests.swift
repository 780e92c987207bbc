// SPDX-License-Identifier: Apache-2.0

#if SQLite && Client
import DomainTestSupport
import Foundation
import GRDB
import HeadraceSQLite
import Testing

/// Kills processes with a device and a server, and checks the stores of both after the last process.
@Suite(.serialized, .timeLimit(.minutes(60))) struct OutboxCrashTests {
    /// The fault points, with the minimum number of passes before all commands are carried out.
    private static let points = [("commit-queued", 60), ("before-commit", 20), ("after-commit", 20)]

    @Test(arguments: points, 0..<CrashSubject.rounds)
    func eachKeptCommandTakesEffectOnceAndInOrderAcrossKills(point: (name: String, passes: Int), round: Int)
        async throws
    {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "device.sqlite")
            let lines = try await CrashSubject.linesAcrossKills(of: "keep", on: path, at: point, round: round)

            let kept = try withOtherProgram(path) { database in
                #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
                #expect(try counts("$.number", of: "headrace.offline-command", in: database).isEmpty)
                return try counts("$.count", of: "diary", in: database)
            }
            let copied = try withOtherProgram("\(path)-server") { database in
                #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
                let mistakes = try texts("json_extract(document, '$.mistakes')", of: "copy", in: database)
                #expect(Set(mistakes.values) == ["[]"])
                return try counts("$.count", of: "copy", in: database)
            }
            #expect(kept == copied)
            try CrashSubject.check("kept", in: lines, stored: copied)
        }
    }

    private func counts(_ member: String, of kind: String, in database: Database) throws -> [String: Int] {
        try texts("json_extract(document, '\(member)')", of: kind, in: database).compactMapValues { Int($0) }
    }

    private func texts(_ expression: String, of kind: String, in database: Database) throws -> [String: String] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT key, CAST(\(expression) AS TEXT) AS text
                FROM headrace_entity JOIN headrace_entity_kind AS entity_kind ON entity_kind.id = kind WHERE name = ?
                """,
            arguments: [kind]
        )
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["key"], $0["text"]) })
    }
}
#endif
