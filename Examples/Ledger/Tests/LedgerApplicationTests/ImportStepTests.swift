// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import LedgerApplication
import LedgerBooks
import LedgerJournal
import Testing

@Suite struct ImportStepTests {
    private func entries(_ range: Range<Int>) throws -> [ImportStep.Entry] {
        var origins = JournalOrigins(of: "steps.journal")
        return try (0..<range.upperBound).map { number in
            let draft = try transfer("\(number + 1)")
            let origin = origins.next(Journal.Entry(transaction: draft, line: number))
            return ImportStep.Entry(draft, origin: origin, line: number)
        }
        .suffix(range.count)
    }

    private func begin(_ total: Int, in books: TestBooks, content: String = "content") async throws -> UUID {
        let id = UUID.version7()
        let content = Fingerprint([content])
        try await books.dispatcher.dispatch(BeginImport(id, of: "steps.journal", content: content, total: total))
        return id
    }

    @Test(arguments: StoreKind.allCases)
    func stepsPostTheirTransactionsAndTheLastStepFinishesTheImport(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let id = try await begin(5, in: books)

        try await books.dispatcher.dispatch(ImportStep(id, from: 0, try entries(0..<3)))
        let middle = try await books.dispatcher.dispatch(GetImportStatus(of: id))
        try await books.dispatcher.dispatch(ImportStep(id, from: 3, try entries(3..<5)))
        let end = try await books.dispatcher.dispatch(GetImportStatus(of: id))

        #expect(middle?.state == .running && middle?.done == 3 && middle?.posted == 3)
        #expect(end?.state == .finished && end?.done == 5 && end?.posted == 5)
        #expect(try await books.balances(matching: "food") == ["expenses:food 15 EUR"])
        #expect(try await books.dispatcher.dispatch(GetImport(of: "steps.journal"))?.posted == 5)
        #expect(try await books.dispatcher.dispatch(GetImports(onlyOpen: true)) == [])
    }

    @Test(arguments: StoreKind.allCases)
    func aRepeatedOrPrematureStepDoesNothing(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let id = try await begin(4, in: books)
        try await books.dispatcher.dispatch(ImportStep(id, from: 0, try entries(0..<2)))

        try await books.dispatcher.dispatch(ImportStep(id, from: 0, try entries(0..<2)))
        try await books.dispatcher.dispatch(ImportStep(id, from: 3, try entries(3..<4)))
        try await books.dispatcher.dispatch(ChangeImport(.pause, of: id))
        try await books.dispatcher.dispatch(ImportStep(id, from: 2, try entries(2..<4)))

        #expect(try await books.dispatcher.dispatch(GetImportStatus(of: id))?.done == 2)
        #expect(try await books.balances(matching: "food") == ["expenses:food 3 EUR"])

        try await books.dispatcher.dispatch(ChangeImport(.resume, of: id))
        try await books.dispatcher.dispatch(ImportStep(id, from: 2, try entries(2..<4)))
        #expect(try await books.dispatcher.dispatch(GetImportStatus(of: id))?.state == .finished)
    }

    @Test(arguments: StoreKind.allCases)
    func aRefusedTransactionRefusesTheWholeStep(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let id = try await begin(2, in: books)
        var broken = try transfer("1")
        broken.postings[1].amount = broken.postings[0].amount
        let entry = ImportStep.Entry(broken, origin: JournalOrigin(Fingerprint(["x"])), line: 17)
        let step = ImportStep(id, from: 0, try entries(0..<1) + [entry])

        let failure = await #expect(throws: ImportJob.Failure.self) { try await books.dispatcher.dispatch(step) }

        #expect(failure?.code == "unbalanced")
        #expect(failure?.line == 17)
        #expect(try await books.balances() == [])
        #expect(try await books.dispatcher.dispatch(GetImportStatus(of: id))?.done == 0)

        try await books.dispatcher.dispatch(ChangeImport(.fail(try #require(failure)), of: id))
        try await books.dispatcher.dispatch(ChangeImport(.resume, of: id))
        #expect(try await books.dispatcher.dispatch(GetImportStatus(of: id))?.state == .failed)
        await #expect(throws: UnknownImport.self) {
            try await books.dispatcher.dispatch(ChangeImport(.pause, of: UUID()))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aStepRefusesAnAssignedAmountThatHasChanged(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let assigning = "2024-01-10\n    a  = 100 EUR\n    e\n"
        func step(_ text: String, of id: UUID) throws -> ImportStep {
            var origins = JournalOrigins(of: "steps.journal")
            let entries = try JournalParser().parse(Array(text.utf8), file: "steps.journal").entries
            return ImportStep(
                id, from: 0,
                entries.map { ImportStep.Entry($0.transaction, origin: origins.next($0), line: $0.line) }
            )
        }
        try await books.dispatcher.dispatch(try step(assigning, of: try await begin(1, in: books)))
        let again = try await begin(1, in: books)
        try await books.dispatcher.dispatch(try step(assigning, of: again))

        let longer = try await begin(2, in: books, content: "longer")
        let refused = try step("2024-01-05\n    a  20 EUR\n    i\n" + assigning, of: longer)
        let failure = await #expect(throws: ImportJob.Failure.self) { try await books.dispatcher.dispatch(refused) }

        #expect(try await books.dispatcher.dispatch(GetImportStatus(of: again))?.known == 1)
        #expect(failure?.code == "changedAssignment")
        #expect(failure?.line == 4)
        #expect(try await books.balances() == ["a 100 EUR", "e -100 EUR"])
    }

    @Test(arguments: StoreKind.allCases)
    func anImportJobWithAChangedAssignmentDoesNotBegin(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let assigning = "2024-01-10\n    a  = 100 EUR\n    e\n"
        let longer = "2024-01-05\n    a  20 EUR\n    i\n" + assigning
        try await books.import(assigning, named: "steps.journal")
        var origins = JournalOrigins(of: "steps.journal")
        let assigned = try JournalParser().parse(Array(longer.utf8), file: "steps.journal").entries
            .map { ImportStep.Entry($0.transaction, origin: origins.next($0), line: $0.line) }
            .filter { $0.origin.assignment != nil }
        let content = Fingerprint(bytes: Array(longer.utf8))
        func begin() async throws -> ImportStatus? {
            let id = UUID.version7()
            try await books.dispatcher.dispatch(
                BeginImport(id, of: "steps.journal", content: content, total: 2, assigned: assigned)
            )
            return try await books.dispatcher.dispatch(GetImportStatus(of: id))
        }

        let refusal = await #expect(throws: ImportRefusal.self) { try await begin() }

        #expect(refusal?.refusal.code == .changedAssignment)
        #expect(refusal?.line == 4)
        #expect(try await books.dispatcher.dispatch(GetImports()) == [])

        // The content isn't reserved. Under another name, it is another journal, and then nothing of it is posted here.
        try await books.import(longer, named: "other.journal")
        let twin = try await begin()
        #expect(twin?.state == .finished && twin?.posted == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func anImportJobSkipsTransactionsOfAnEarlierImport(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let text = "2026-01-01 x\n    a  1 EUR\n    b\n"
        try await books.import(text, named: "steps.journal")
        let id = try await begin(1, in: books)
        var draft = TransactionDraft(date: try #require(BookDate("2026-01-01")), description: "x")
        draft.postings = [
            PostingDraft(account: "a", amount: Amount(try Quantity(mantissa: 1), "EUR")), PostingDraft(account: "b"),
        ]
        var origins = JournalOrigins(of: "steps.journal")

        let origin = origins.next(Journal.Entry(transaction: draft, line: 1))
        try await books.dispatcher.dispatch(
            ImportStep(id, from: 0, [ImportStep.Entry(draft, origin: origin, line: 1)]))

        let end = try await books.dispatcher.dispatch(GetImportStatus(of: id))
        #expect(end?.known == 1 && end?.posted == 0)
        #expect(try await books.balances() == ["a 1 EUR", "b -1 EUR"])
    }
}
