// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import LedgerApplication
import LedgerTestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct MigrateTests {
    private static let journal = "2026-01-01 x\n    a   1 EUR\n    b\n"
    private static let balances = " 1 EUR  a\n-1 EUR  b\n------\n 0\n"

    @Test func onlyAFileIsCopiedAndOnlyIntoADatabase() throws {
        let ledger = try LedgerProcess()

        #expect(try ledger.run("migrate", "postgres:///a", "postgres:///b").status == 64)
        #expect(try ledger.run("migrate", "a.sqlite", "b.sqlite").status == 64)
        let missing = try ledger.run("migrate", "none.sqlite", "postgres:///b")
        #expect(missing.status == 1)
        #expect(missing.errors.hasPrefix("Error: There is no database 'none.sqlite'. To fix, "))
    }

    @Test(
        .enabled(
            if: TestDatabase.server != nil, "There is no PostgreSQL server. To run it: Scripts/postgres Scripts/test"))
    func theCopyHasTheBalancesAndKnowsTheJournals() async throws {
        let ledger = try LedgerProcess()
        try ledger.write(Self.journal, to: "a.journal")
        #expect(try ledger.run("import", "a.journal", "--database", "books.sqlite").status == 0)
        let target = try #require(TestDatabase.makeSchema())

        let copied = try ledger.run("migrate", "books.sqlite", target)
        #expect(copied.errors == "")
        #expect(copied.output.hasPrefix("Copied and compared:\n"))
        #expect(try ledger.run("balance", "--database", target).output == Self.balances)
        #expect(
            try ledger.run("import", "a.journal", "--database", target).output
                == "a.journal: 0 transactions posted, 1 posted before\n"
        )
        let again = try ledger.run("migrate", "books.sqlite", target)
        #expect(again.status == 1)
        #expect(again.errors.contains("Nothing was copied"))
        #expect(try ledger.run("balance", "--database", "books.sqlite").output == Self.balances)
    }

    @Test func anUnfinishedImportIsRefused() async throws {
        let ledger = try LedgerProcess()
        let path = ledger.folder.appending(path: "books.sqlite").path(percentEncoded: false)
        let store = try await LedgerDatabase.file(path).open()
        let container = try LedgerComposition.makeContainer(on: store.base)
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        let content = Fingerprint(bytes: Array(Self.journal.utf8))
        try await dispatcher.dispatch(BeginImport(.version7(), of: "a.journal", content: content, total: 1))
        try store.close()

        let error = await #expect(throws: UnfinishedImport.self) {
            try await LedgerDatabase("postgres:///books").copy(from: path)
        }
        #expect(error?.message.contains("'a.journal'") == true)
    }
}
