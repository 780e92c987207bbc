// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import LedgerApplication
import LedgerBooks
import LedgerTestSupport
import Testing

@testable import LedgerServer

/// A journal with `count` transactions, ten for each day.
private func journal(_ count: Int, amount: Int = 1) -> String {
    (0..<count).map { number in
        let day = number / 10
        let date = "2025-\(pad(day / 28 % 12 + 1))-\(pad(day % 28 + 1))"
        return "\(date) number \(number)\n    expenses:e\(number % 5)   \(amount) EUR\n    assets:cash\n\n"
    }
    .joined()
}

private func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

extension LedgerServerTests {
    @Suite(.timeLimit(.minutes(3))) struct ImportTests {
        @Test func progressIsReportedAfterEachStep() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let id = try await server.listen { events in
                    _ = try await events.next()
                    let answer = try await server.upload(journal(1_000), atomic: false)
                    #expect(answer.status == 202)
                    let id = try answer.json(ImportBegunResponse.self).import
                    var last = 0
                    while true {
                        let status = try await events.first("import", as: ImportResponse.self) { $0.id == id }
                        #expect(status.done >= last && status.total == 1_000 && status.done == status.posted)
                        last = status.done
                        if status.state == "finished" { break }
                    }
                    #expect(last == 1_000)
                    return id
                }
                let one = try await server.get("/api/imports/\(id)").json(ImportResponse.self)
                #expect(one.state == "finished" && one.posted == 1_000 && one.known == 0 && one.error == nil)
                #expect(try await server.get("/api/imports").json(ImportsResponse.self).imports == [one])
                #expect(try await server.balances().first == "assets:cash -1000 EUR")
            }
        }

        @Test func aPausedImportStaysPausedAfterARestartAndContinuesThere() async throws {
            let folder = try TestFolder()
            let id = try await TestServer.with(in: folder) { server in
                try await server.listen { events in
                    _ = try await events.next()
                    let id = try await server.upload(journal(6_000), atomic: false).json(ImportBegunResponse.self)
                        .import
                    _ = try await events.first("import", as: ImportResponse.self) { $0.done > 0 }
                    let answer = try await server.send("POST", "/api/imports/\(id)/pause")
                    #expect(try answer.json(ImportResponse.self).state == "paused")
                    return id
                }
            }
            let done = try await TestServer.with(in: folder) { server in
                let paused = try await server.get("/api/imports/\(id)").json(ImportResponse.self)
                #expect(paused.state == "paused")
                #expect((1..<6_000).contains(paused.done))
                try await server.transfer("1 EUR")
                #expect(try await server.get("/api/imports/\(id)").json(ImportResponse.self) == paused)
                return paused.done
            }
            try await TestServer.with(in: folder) { server in
                try await server.listen { events in
                    let state = try await events.first("state", as: StateEvent.self) { _ in true }
                    #expect(state.imports.map(\.done) == [done])
                    #expect(try await server.send("POST", "/api/imports/\(id)/resume").status == 200)
                    let end = try await events.first("import", as: ImportResponse.self) { $0.state == "finished" }
                    #expect(end.done == 6_000 && end.posted == 6_000 && end.known == 0)
                }
                #expect(try await server.balances().first == "assets:cash -6000 EUR")
            }
        }

        @Test func anInterruptedImportContinuesAfterARestart() async throws {
            let folder = try TestFolder()
            let id = try await TestServer.with(in: folder) { server in
                try await server.listen { events in
                    _ = try await events.next()
                    let id = try await server.upload(journal(6_000), atomic: false).json(ImportBegunResponse.self)
                        .import
                    _ = try await events.first("import", as: ImportResponse.self) { $0.done > 0 }
                    return id
                }
            }
            try await TestServer.with(in: folder) { server in
                try await server.listen { events in
                    let state = try await events.first("state", as: StateEvent.self) { _ in true }
                    if state.imports.first?.state != "finished" {
                        _ = try await events.first("import", as: ImportResponse.self) { $0.state == "finished" }
                    }
                }
                let end = try await server.get("/api/imports/\(id)").json(ImportResponse.self)
                #expect(end.posted == 6_000)
                #expect(try await server.balances().first == "assets:cash -6000 EUR")
            }
        }

        @Test func importingAgainPostsNothing() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await server.listen { events in
                    _ = try await events.next()
                    for (text, name, posted, known) in [
                        (journal(300), "a.journal", 300, 0), (journal(300), "a.journal", 0, 300),
                        (journal(400), "a.journal", 100, 300), (journal(400), "b.journal", 0, 400),
                    ] {
                        let id = try await server.upload(text, named: name).json(ImportBegunResponse.self).import
                        let end = try await events.first("import", as: ImportResponse.self) {
                            $0.id == id && $0.state == "finished"
                        }
                        #expect(end.posted == posted && end.known == known)
                    }
                }
                #expect(try await server.balances().first == "assets:cash -400 EUR")
            }
        }

        @Test func anInvalidJournalIsRefusedWithTheLine() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let answer = try await server.upload(journal(10) + "2026-13-01 no such month\n    a  1\n    b\n")

                #expect(answer.status == 422)
                let error = try answer.json(ProblemBody.self)
                #expect(error.code == "invalidDate")
                #expect(error.failures?.first?.line == 41)
                #expect(try await server.get("/api/imports").json(ImportsResponse.self).imports == [])
                #expect(try await server.balances() == [])
                let claims = try await server.upload("2026-01-01 x\n    a  1 EUR = 2 EUR\n    b\n")
                #expect(try claims.json(ProblemBody.self).code == "failedAssertion")
            }
        }

        @Test func anImportThatTheDomainRefusesAtItsLastTransactionLeavesNothing() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await server.listen { events in
                    _ = try await events.next()
                    let text = journal(1_200) + "2026-01-01 unbalanced\n    a  1 EUR\n    b  1 EUR\n"
                    let id = try await server.upload(text).json(ImportBegunResponse.self).import
                    let end = try await events.first("import", as: ImportResponse.self) { $0.state == "failed" }
                    #expect(end.id == id && end.atomic)
                    #expect(end.error?.code == "unbalanced" && end.error?.line == 4_801)
                    #expect(end.error?.message.contains("Nothing of the journal is posted.") == true)
                    #expect(end.done == 0 && end.posted == 0)
                    #expect(try await server.balances() == [])

                    // The content isn't reserved.
                    let mended = text.replacing("b  1 EUR", with: "b  -1 EUR")
                    for (text, name, state) in [(text, "b.journal", "failed"), (mended, "c.journal", "finished")] {
                        let again = try await server.upload(text, named: name).json(ImportBegunResponse.self).import
                        let end = try await events.first("import", as: ImportResponse.self) {
                            $0.id == again && ($0.state == "failed" || $0.state == "finished")
                        }
                        #expect(end.state == state && end.known == 0)
                    }
                }
                #expect(try await server.balances().contains("assets:cash -1200 EUR"))
            }
        }

        @Test func anImportThatARuleOfAnAccountRefusesAtTheEndLeavesNothing() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await server.transfer("1 EUR", from: "full", to: "mine")
                let rule = try await server.send(
                    "PUT",
                    "/api/rule?account=mine",
                    headers: ["Content-Type: application/json"],
                    body: Array(#"{"closedFrom":"2026-06-01"}"#.utf8)
                )
                #expect(rule.status == 200, "\(rule.text)")
                try await server.listen { events in
                    _ = try await events.next()
                    let text = journal(900) + "2026-12-01 late\n    mine  1 EUR\n    b\n"
                    _ = try await server.upload(text)
                    let end = try await events.first("import", as: ImportResponse.self) { $0.state == "failed" }
                    #expect(end.done == 0 && end.error?.message.contains("Nothing of the journal is posted.") == true)
                }
                #expect(try await server.balances().count == 2)
            }
        }

        /// No event shows a part of an atomic import.
        @Test func anAtomicImportIsPostedAllAtOnce() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await server.listen { events in
                    _ = try await events.next()
                    let id = try await server.upload(journal(3_000)).json(ImportBegunResponse.self).import
                    let seen = try await events.first("import", as: ImportResponse.self) { $0.id == id && $0.done > 0 }
                    #expect(seen.done == 3_000 && seen.state == "finished" && seen.atomic)
                }
            }
        }

        @Test func theSizeOfAJournalDecidesWhetherItsImportIsAtomicUnlessTheClientDoes() async throws {
            let folder = try TestFolder()
            let limits: (inout LedgerServerConfiguration) -> Void = {
                $0.limits.atomicTransactions = 10
                $0.limits.mostAtomicTransactions = 20
            }
            try await TestServer.with(in: folder, configure: limits) { server in
                for (count, atomic, outcome) in [
                    (10, nil, true), (11, nil, false), (9, false, false), (20, true, true),
                ] as [(Int, Bool?, Bool)] {
                    let answer = try await server.upload(journal(count), named: "\(count).journal", atomic: atomic)
                    let id = try answer.json(ImportBegunResponse.self).import
                    #expect(try await server.get("/api/imports/\(id)").json(ImportResponse.self).atomic == outcome)
                }
                let refused = try await server.upload(journal(21), atomic: true)
                #expect(refused.status == 422)
                #expect(try refused.json(ProblemBody.self).code == "tooLargeForAtomic")
                #expect(try await server.send("POST", "/api/imports?name=x&atomic=yes").status == 400)
            }
        }

        @Test func anImportInStepsThatTheDomainRefusesTellsHowMuchIsPosted() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await server.listen { events in
                    _ = try await events.next()
                    let text = journal(1_200) + "2026-01-01 unbalanced\n    a  1 EUR\n    b  1 EUR\n\n" + journal(50)
                    let id = try await server.upload(text, atomic: false).json(ImportBegunResponse.self).import
                    let end = try await events.first("import", as: ImportResponse.self) { $0.state == "failed" }
                    #expect(end.id == id)
                    #expect(end.error?.code == "unbalanced")
                    #expect(end.error?.line == 4_801)
                    #expect(end.done == 1_024 && !end.atomic)
                    #expect(end.error?.message.contains("The first 1024 of 1251 transactions are posted.") == true)

                    let mended = text.replacing("b  1 EUR", with: "b  -1 EUR")
                    let again = try await server.upload(mended).json(ImportBegunResponse.self).import
                    let finished = try await events.first("import", as: ImportResponse.self) {
                        $0.id == again && $0.state == "finished"
                    }
                    #expect(finished.known == 1_024 && finished.posted == 227)
                }
            }
        }

        /// The changed transaction is in the second step, so the first step must not be posted.
        @Test func anImportWithAChangedAssignmentIsRefusedBeforeItsFirstStep() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await server.listen { events in
                    _ = try await events.next()
                    let text = journal(600) + "2024-01-10 adj\n    a  = 100 EUR\n    e\n\n"
                    let first = try await server.upload(text, atomic: false).json(ImportBegunResponse.self).import
                    _ = try await events.first("import", as: ImportResponse.self) { $0.state == "finished" }

                    let longer = "2024-01-05 early\n    a  20 EUR\n    i\n\n" + text
                    let answer = try await server.upload(longer, atomic: false)

                    #expect(answer.status == 422)
                    let error = try answer.json(ProblemBody.self)
                    #expect(error.code == "changedAssignment")
                    #expect(error.failures?.first?.line == 2_405)
                    #expect(error.detail.contains("as 100 EUR to 'a'"))
                    #expect(try await server.balances().contains("a 100 EUR"))
                    #expect(
                        try await server.get("/api/imports").json(ImportsResponse.self).imports.map(\.id) == [first])

                    for (text, posted) in [(text, 0), (longer.replacing("= 100", with: "100"), 1)] {
                        let id = try await server.upload(text).json(ImportBegunResponse.self).import
                        let end = try await events.first("import", as: ImportResponse.self) {
                            $0.id == id && $0.state != "queued" && $0.state != "running"
                        }
                        #expect(end.state == "finished" && end.posted == posted && end.known == 601)
                    }
                }
            }
        }

        /// The second assignment gets the number of the first, whose amount is written out.
        @Test(arguments: [true, false])
        func anEqualAssignmentBeforeAnotherCanBeWrittenOut(isAtomic: Bool) async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await server.listen { events in
                    _ = try await events.next()
                    let assigning = "2026-01-10 adj\n    a  = 100 EUR\n    e\n"
                    let between = journal(600) + "2026-01-10 out\n    a  -50 EUR\n    i\n"
                    let written = assigning.replacing("= 100", with: "100")
                    for (text, known) in [(assigning, 0), (written, 603)] {
                        let id = try await server.upload(text + between + assigning, atomic: isAtomic)
                            .json(ImportBegunResponse.self).import
                        let end = try await events.first("import", as: ImportResponse.self) {
                            $0.id == id && ($0.state == "failed" || $0.state == "finished")
                        }
                        #expect(end.state == "finished" && end.known == known && end.posted == 603 - known)
                    }
                }
                #expect(try await server.balances().contains("a 100 EUR"))
            }
        }

        /// Each change of the other process conflicts with several steps.
        @Test func anotherProcessCanChangeTheSameAccountsDuringAnImport() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let store = try await folder.location.open()
                let other = try LedgerComposition.makeContainer(on: store.base)
                let dispatcher: any CommandQueryDispatcher = other.resolve()
                let euro = Amount(try Quantity(mantissa: 1), "EUR")
                let postings = [PostingDraft(account: "assets:cash", amount: euro), PostingDraft(account: "mine")]
                let posted = try await server.listen { events in
                    var posted = 0
                    _ = try await events.next()
                    let id = try await server.upload(journal(6_000), atomic: false).json(ImportBegunResponse.self)
                        .import
                    var done = 0
                    while done < 6_000 {
                        let status = try await events.first("import", as: ImportResponse.self) { [done] in
                            $0.id == id && ($0.done > done || $0.state == "finished")
                        }
                        done = status.done
                        let date = try #require(BookDate("2026-01-31"))
                        try await dispatcher.dispatch(
                            PostTransaction(TransactionDraft(date: date, description: "other", postings: postings))
                        )
                        posted += 1
                    }
                    let end = try await server.get("/api/imports/\(id)").json(ImportResponse.self)
                    #expect(end.posted == 6_000 && end.known == 0)
                    return posted
                }
                #expect(try await server.balances().first == "assets:cash \(posted - 6_000) EUR")
                try store.close()
            }
        }

        @Test func aJournalIsRefusedUnderAnotherNameDuringItsImport() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await server.listen { events in
                    _ = try await events.next()
                    let text = journal(9_000)
                    let id = try await server.upload(text, named: "first.journal", atomic: false).json(
                        ImportBegunResponse.self
                    ).import
                    #expect(try await server.send("POST", "/api/imports/\(id)/pause").status == 200)

                    let answer = try await server.upload(text, named: "second.journal")
                    #expect(answer.status == 409)
                    #expect(try answer.json(ProblemBody.self).code == "contentReserved")

                    #expect(try await server.send("POST", "/api/imports/\(id)/resume").status == 200)
                    _ = try await events.first("import", as: ImportResponse.self) { $0.state == "finished" }
                    let second = try await server.upload(text, named: "second.journal").json(ImportBegunResponse.self)
                        .import
                    let end = try await server.get("/api/imports/\(second)").json(ImportResponse.self)
                    #expect(end.state == "finished" && end.posted == 0 && end.known == 9_000)
                }
                #expect(try await server.balances().first == "assets:cash -9000 EUR")
            }
        }

        @Test(arguments: [true, false])
        func anotherServerCanResumeAPausedImport(isFirstThere: Bool) async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { second in
                let id = try await TestServer.with(in: folder) { first in
                    let id = try await first.listen { events in
                        _ = try await events.next()
                        let id = try await first.upload(journal(9_000), atomic: false).json(ImportBegunResponse.self)
                            .import
                        _ = try await events.first("import", as: ImportResponse.self) { $0.done > 0 }
                        let answer = try await first.send("POST", "/api/imports/\(id)/pause")
                        #expect(try answer.json(ImportResponse.self).state == "paused")
                        return id
                    }
                    if isFirstThere { try await finish(id, at: second) }
                    return id
                }
                if !isFirstThere { try await finish(id, at: second) }
                #expect(try await second.balances().first == "assets:cash -9000 EUR")
            }
        }

        /// Resumes the import and returns when it has finished.
        private func finish(_ id: UUID, at server: TestServer) async throws {
            try await server.listen { events in
                _ = try await events.next()
                #expect(try await server.send("POST", "/api/imports/\(id)/resume").status == 200)
                let end = try await events.first("import", as: ImportResponse.self) { $0.state == "finished" }
                #expect(end.posted == 9_000 && end.known == 0)
            }
        }

        /// The other process only stores the new state.
        ///
        /// The server reads it from the event log.
        @Test func aLocalRunContinuesWhenAnotherProcessResumesItsImport() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let store = try await folder.location.open()
                let dispatcher: any CommandQueryDispatcher = try LedgerComposition.makeContainer(on: store.base)
                    .resolve()
                try await server.listen { events in
                    _ = try await events.next()
                    let id = try await server.upload(journal(9_000), atomic: false).json(ImportBegunResponse.self)
                        .import
                    #expect(try await server.send("POST", "/api/imports/\(id)/pause").status == 200)
                    _ = try await events.first("import", as: ImportResponse.self) { $0.state == "paused" }

                    try await dispatcher.dispatch(ChangeImport(.resume, of: id))

                    let end = try await events.first("import", as: ImportResponse.self) { $0.state == "finished" }
                    #expect(end.posted == 9_000)
                }
                try store.close()
            }
        }

        @Test(.fileOnly(.journals)) func aStartDeletesTheJournalsOfUnknownImports() async throws {
            let folder = try TestFolder()
            let id = try await TestServer.with(in: folder) { server in
                let id = try await server.upload(journal(2_000)).json(ImportBegunResponse.self).import
                #expect(try await server.send("POST", "/api/imports/\(id)/pause").status == 200)
                return id
            }
            let spool = URL(filePath: folder.database + "-imports", directoryHint: .isDirectory)
            let stray = spool.appending(path: "\(UUID().uuidString).journal")
            try Data(journal(1).utf8).write(to: stray)

            try await TestServer.with(in: folder) { server in
                try await server.listen { events in
                    _ = try await events.next()
                    #expect(try await server.send("POST", "/api/imports/\(id)/resume").status == 200)
                    // The journal of this import was spooled. When it is imported, the other files are deleted.
                    let end = try await events.first("import", as: ImportResponse.self) { $0.state == "finished" }
                    #expect(end.posted == 2_000)
                }
                #expect(!FileManager.default.fileExists(atPath: stray.path(percentEncoded: false)))
            }
        }

        @Test func concurrentImportsOfOneJournalPostItOnce() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await server.listen { events in
                    _ = try await events.next()
                    var open: Set<UUID> = []
                    // Each journal has a different end, so that none has a known content.
                    for number in 1...3 {
                        let text = journal(1_500) + "2026-01-0\(number) own\n    a  1 EUR\n    b\n\n"
                        // The transaction of an earlier import isn't in this journal.
                        let answer = try await server.upload(text, missing: "keep")
                        open.insert(try answer.json(ImportBegunResponse.self).import)
                    }
                    while !open.isEmpty {
                        let end = try await events.first("import", as: ImportResponse.self) { [open] in
                            open.contains($0.id) && $0.state != "queued" && $0.state != "running"
                        }
                        #expect(end.state == "finished", "\(String(describing: end.error))")
                        open.remove(end.id)
                    }
                }
                #expect(try await server.balances().contains("assets:cash -1500 EUR"))
                #expect(try await server.balances().contains("a 3 EUR"))
            }
        }

        @Test func transactionsAreAcceptedDuringAnImport() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await server.listen { events in
                    _ = try await events.next()
                    let id = try await server.upload(journal(3_000)).json(ImportBegunResponse.self).import
                    // Each transaction changes the account that every step of the import changes.
                    for _ in 1...20 {
                        #expect(try await server.transfer("1 EUR", from: "assets:cash", to: "mine").status == 201)
                    }
                    let end = try await events.first("import", as: ImportResponse.self) {
                        $0.id == id && $0.done == $0.total
                    }
                    #expect(end.posted == 3_000)
                }
                #expect(try await server.balances().first == "assets:cash -3020 EUR")
            }
        }
    }
}
#endif
