// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import LedgerApplication
import LedgerJournal
import Testing

@testable import LedgerServer

private let rent = "2026-01-01 rent\n    home   700 EUR\n    bank\n"
private let food = "2026-01-02 food\n    food   3 EUR\n    bank\n"
private let dear = "2026-01-02 food\n    food   4 EUR\n    bank\n"

extension LedgerServerTests {
    @Suite(.timeLimit(.minutes(3))) struct ChangedUploadTests {
        @Test(arguments: [true, false])
        func aChangedUploadIsRefusedUnlessTheClientKeepsOrReplacesTransactions(atomic: Bool) async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await server.listen { events in
                    _ = try await events.next()
                    func finished(_ text: String, _ missing: String? = nil) async throws -> ImportResponse {
                        let answer = try await server.upload(text, atomic: atomic, missing: missing)
                        let id = try answer.json(ImportBegunResponse.self).import
                        return try await events.first("import", as: ImportResponse.self) {
                            $0.id == id && $0.state == "finished"
                        }
                    }
                    _ = try await finished(rent + food)

                    for missing in [nil, "refuse"] {
                        let refused = try await server.upload(rent + dear, atomic: atomic, missing: missing)
                        #expect(refused.status == 409)
                        let problem = try refused.json(ProblemBody.self)
                        #expect(problem.code == "changedJournal")
                        #expect(problem.detail.contains("2026-01-02 food (3 EUR to 'food')"))
                        #expect(problem.detail.contains("'missing=replace'"))
                    }
                    #expect(try await server.balances() == ["bank -703 EUR", "food 3 EUR", "home 700 EUR"])

                    let replaced = try await finished(rent + dear, "replace")
                    #expect(replaced.posted == 1 && replaced.known == 1)
                    #expect(try await server.balances() == ["bank -704 EUR", "food 4 EUR", "home 700 EUR"])

                    let kept = try await finished(rent, "keep")
                    #expect(kept.posted == 0 && kept.known == 1)
                    let emptied = try await finished("; nothing\n", "replace")
                    #expect(emptied.posted == 0)
                    #expect(try await server.balances() == ["bank -4 EUR", "food 4 EUR"])
                }
                #expect(try await server.upload(rent, missing: "maybe").status == 400)
            }
        }

        /// The failed import has posted its first step, so its transactions count as imported.
        @Test func theTransactionsOfAFailedImportAreCompared() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await server.listen { events in
                    _ = try await events.next()
                    let many = (1...600).map { "2026-02-01 number \($0)\n    a   1 EUR\n    b\n" }.joined()
                    let broken = "2026-03-01 broken\n    a   1 EUR\n    b   1 EUR\n"
                    _ = try await server.upload(many + broken, atomic: false)
                    let failed = try await events.first("import", as: ImportResponse.self) { $0.state == "failed" }
                    #expect(failed.posted == 512)

                    let changed = many.replacing("number 7\n", with: "number seven\n")
                    #expect(try await server.upload(changed).status == 409)
                    #expect(try await server.upload(many).status == 202)
                }
            }
        }

        @Test func theCommandLineAndAnUploadOfOneNameAreOneJournal() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let store = try await folder.location.open()
                let dispatcher: any CommandQueryDispatcher = try LedgerComposition.makeContainer(on: store.base)
                    .resolve()
                try await dispatcher.dispatch(importing(rent + food, at: "/books/test.journal"))

                #expect(try await server.upload(rent + dear).status == 409)
                #expect(try await server.upload(rent + food + "\n").status == 202)
                let outcome = try await dispatcher.dispatch(importing(rent + food + "\n\n", at: "/books/test.journal"))

                #expect(outcome.posted == 0 && outcome.known == 2)
                try store.close()
            }
        }

        private func importing(_ text: String, at path: String) throws -> ImportJournal {
            let bytes = Array(text.utf8)
            return ImportJournal(
                try JournalParser().parse(bytes, file: "test.journal"),
                named: "test.journal",
                content: Fingerprint(bytes: bytes),
                at: JournalPlace(path) { _ in true }
            )
        }
    }
}
#endif
