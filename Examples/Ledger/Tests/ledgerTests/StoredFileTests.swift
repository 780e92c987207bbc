// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import GRDB
import Headrace
import LedgerTestSupport
import Testing
import UnixSignals

@testable import ledger

/// The database file after a command, and the readable files.
@Suite(.timeLimit(.minutes(3))) struct StoredFileTests {
    private static let journal = "2026-01-01 x\n    a   1 EUR\n    b\n"

    @Test(.fileOnly(.file)) func afterEachImportTheFileAloneHoldsEverything() throws {
        for _ in 1...10 {
            let ledger = try LedgerProcess()
            try ledger.write(Self.journal, to: "a.journal")
            #expect(try ledger.run("import", "a.journal").status == 0)

            let copy = try LedgerProcess()
            try FileManager.default.copyItem(
                at: ledger.folder.appending(path: "ledger.sqlite"),
                to: copy.folder.appending(path: "ledger.sqlite")
            )
            let database = try DatabaseQueue(path: copy.folder.appending(path: "ledger.sqlite").path())
            #expect(try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM headrace_entity") } ?? 0 >= 4)
            #expect(try ledger.files() == ["a.journal", "ledger.sqlite"])
        }
    }

    @Test(.fileOnly(.file)) func onlyTheUserCanReadNewBooks() throws {
        let ledger = try LedgerProcess()
        try ledger.write(Self.journal, to: "a.journal")

        #expect(try ledger.run("import", "a.journal").status == 0)

        let path = ledger.folder.appending(path: "ledger.sqlite").path(percentEncoded: false)
        let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(permissions == 0o600)
    }

    @Test(.fileOnly(.file)) func everyCommandClosesTheFileEvenIfItFails() throws {
        let ledger = try LedgerProcess()
        try ledger.write(Self.journal, to: "a.journal")
        try ledger.write("2026-01-02 y\n    a   -5 EUR\n    b\n", to: "b.journal")
        let calls: [(arguments: [String], status: Int32)] = [
            (["import", "a.journal"], 0), (["rule", "a", "--never-below-zero"], 0), (["import", "b.journal"], 1),
            (["balance"], 0), (["register", "a"], 0), (["register", "none"], 1), (["accounts"], 0),
            (["rule", "none"], 1),
        ]
        for call in calls {
            #expect(try ledger.run(call.arguments).status == call.status, "\(call.arguments)")
            #expect(try ledger.files() == ["a.journal", "b.journal", "ledger.sqlite"], "\(call.arguments)")
        }
    }

    @Test func aSignalCancelsTheWorkAndSetsTheExitCode() async throws {
        let (signals, source) = AsyncStream<UnixSignal>.makeStream()
        await #expect(throws: ExitCode(128 + SIGTERM)) {
            try await Interruption.cancelling(by: signals) {
                source.yield(.sigterm)
                try await Task.sleep(for: .seconds(3_600))
            }
        }
        let value = try await Interruption.cancelling { 7 }
        #expect(value == 7)
    }

    @Test(.enabled(if: ReadOnlyFolder.isPossible, "Root needs 'unshare' and the right to mount."), .fileOnly(.file))
    func aReadOnlyDatabaseIsReadAndWritingSaysWhatToDo() async throws {
        let ledger = try LedgerProcess()
        try ledger.write(Self.journal, to: "a.journal")
        #expect(try ledger.run("import", "a.journal").status == 0)
        let before = try ledger.files()

        try ReadOnlyFolder.run(ledger) { run in
            #expect(try run(["accounts"]).output == "a\nb\n")
            #expect(try run(["balance", "--format", "csv"]).output == "account,commodity,amount\na,EUR,1\nb,EUR,-1\n")
            #expect(try run(["register", "a"]).output == "2026-01-01  x  a  1 EUR  1 EUR\n")
            for arguments in [["import", "a.journal"], ["rule", "a", "--remove"]] {
                let refused = try run(arguments)
                #expect(refused.status == 1)
                #expect(refused.errors.hasPrefix("Error: 'ledger.sqlite' cannot be used: it may not be written."))
                #expect(refused.errors.contains("To fix, "))
            }
        }
        #expect(try ledger.files() == before)
    }

    @Test(.enabled(if: ReadOnlyFolder.isPossible, "Root needs 'unshare' and the right to mount."), .fileOnly(.file))
    func aReadOnlyDatabaseIsReadWithItsWriteAheadLog() async throws {
        let ledger = try LedgerProcess()
        try ledger.write(Self.journal, to: "a.journal")
        #expect(try ledger.run("import", "a.journal").status == 0)
        // The state of the file after the program was killed.
        let database = try DatabasePool(path: ledger.folder.appending(path: "ledger.sqlite").path())
        try await database.write { database in
            try database.execute(
                sql:
                    "DELETE FROM headrace_entity WHERE kind = (SELECT id FROM headrace_entity_kind WHERE name = 'account')"
            )
        }
        #expect(try ledger.files().contains("ledger.sqlite-wal"))

        try ReadOnlyFolder.run(ledger) { run in
            let accounts = try run(["accounts"])
            #expect(accounts.status == 0)
            #expect(accounts.output == "")
        }
        try database.close()
    }
}

/// Runs `ledger` in a folder that can't be written.
enum ReadOnlyFolder {
    /// Root needs a read-only mount, because permissions don't apply to root.
    static let isPossible: Bool = geteuid() != 0 || succeeds("unshare -m mount --bind / /mnt")

    private static let mount = """
        if [ -z "$LEDGER_MOUNTED" ]; then
          LEDGER_MOUNTED=1 exec unshare -m bash -c 'mount --bind "$PWD" "$PWD" && mount -o remount,ro,bind "$PWD" && \
            cd "$PWD" && exec "$0" "$@"' "$0" "$@"
        fi
        """

    /// Runs `body`, which runs commands in the folder of `ledger`.
    static func run(
        _ ledger: LedgerProcess,
        _ body: (_ run: ([String]) throws -> LedgerProcess.Outcome) throws -> Void
    ) throws {
        if geteuid() == 0 {
            try body { try ledger.run($0, after: mount) }
            return
        }
        let files = FileManager.default
        let database = ledger.folder.appending(path: "ledger.sqlite").path(percentEncoded: false)
        let folder = ledger.folder.path(percentEncoded: false)
        // The output files of the process are in the folder.
        for name in [".input", ".output", ".errors"] {
            _ = files.createFile(atPath: folder + "/" + name, contents: nil)
        }
        try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: database)
        try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
        defer {
            try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
            try? files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: database)
        }
        try body { try ledger.run($0) }
    }

    private static func succeeds(_ command: String) -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", command + " 2>/dev/null"]
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
