// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import LedgerBooks
import LedgerJournal
import Testing

@testable import LedgerApplication

private let journal = """
    2026-01-01 rent
        rent   100 EUR
        cash
    2026-01-02 food
        food   10 EUR
        cash

    """

private let balances = ["cash -110 EUR", "food 10 EUR", "rent 100 EUR"]

@Suite(.timeLimit(.minutes(1))) struct JournalContentTests {
    private let content = Fingerprint(bytes: Array(journal.utf8))

    private func command(named name: String) throws -> ImportJournal {
        ImportJournal(try JournalParser().parse(Array(journal.utf8), file: name), named: name, content: content)
    }

    private func step(_ id: UUID, of name: String, _ range: Range<Int>) throws -> ImportStep {
        var origins = JournalOrigins(of: name)
        let entries = try JournalParser().parse(Array(journal.utf8), file: name).entries.map {
            ImportStep.Entry($0.transaction, origin: origins.next($0), line: $0.line)
        }
        return ImportStep(id, from: range.lowerBound, Array(entries[range]))
    }

    private func begin(_ name: String, by dispatcher: any CommandQueryDispatcher) async throws -> UUID {
        let id = UUID.version7()
        try await dispatcher.dispatch(BeginImport(id, of: name, content: content, total: 2))
        return id
    }

    @Test(arguments: StoreKind.allCases)
    func ofConcurrentImportsUnderTwoNamesOnlyTheFirstPosts(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let server = books.dispatcher
        // The accounts exist already, so that the imports conflict only in the content.
        for account in ["rent", "food"] {
            try await server.dispatch(PostTransaction(try transfer("0", from: "cash", to: account)))
        }
        let command = try command(named: "first.journal")
        let other = try books.otherProcess { attempt in
            if attempt == 1 { try await server.dispatch(command) }
        }

        try await other.dispatcher.dispatch(try self.command(named: "second.journal"))

        #expect(try await books.balances() == balances)
        let outcome = try await server.dispatch(GetImport(of: "second.journal"))
        #expect(outcome == GetImport.Outcome(posted: 0, known: 2, sameAs: "first.journal"))
    }

    @Test(arguments: StoreKind.allCases)
    func ofConcurrentStartsUnderTwoNamesOneIsRefused(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let server = books.dispatcher
        let first = BeginImport(.version7(), of: "first.journal", content: content, total: 2)
        let other = try books.otherProcess { attempt in
            if attempt == 1 { try await server.dispatch(first) }
        }

        let error = await #expect(throws: ContentReserved.self) {
            try await begin("second.journal", by: other.dispatcher)
        }

        #expect(error?.journal == "second.journal" && error?.other == "first.journal")
        #expect(try await server.dispatch(GetImports()).map(\.name) == ["first.journal"])
    }

    @Test(arguments: StoreKind.allCases)
    func anOpenImportReservesItsContentForItsName(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let id = try await begin("first.journal", by: books.dispatcher)
        try await books.dispatcher.dispatch(try step(id, of: "first.journal", 0..<1))

        let error = await #expect(throws: ContentReserved.self) {
            try await books.dispatcher.dispatch(try command(named: "second.journal"))
        }
        await #expect(throws: ContentReserved.self) { try await begin("second.journal", by: books.dispatcher) }
        #expect(
            error?.description == """
                'second.journal' has the same content as 'first.journal', whose import hasn't finished. Nothing of \
                'second.journal' was imported. To fix, wait until the import of 'first.journal' has finished, or \
                resume it; if it has failed, import the journal again under the name 'first.journal'.
                """
        )
        #expect(try await books.balances() == ["cash -100 EUR", "rent 100 EUR"])

        // The import in one unit of work skips the transactions of the steps, and the next step skips its transactions.
        try await books.dispatcher.dispatch(try command(named: "first.journal"))
        try await books.dispatcher.dispatch(try step(id, of: "first.journal", 1..<2))
        #expect(try await books.dispatcher.dispatch(GetImportStatus(of: id))?.state == .finished)
        try await books.dispatcher.dispatch(try command(named: "second.journal"))
        let outcome = try await books.dispatcher.dispatch(GetImport(of: "second.journal"))
        #expect(outcome?.sameAs == "first.journal")
        #expect(try await books.balances() == balances)
    }

    @Test(arguments: StoreKind.allCases)
    func anImportThatFailsBeforeItPostsReleasesItsContent(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let one = try await begin("first.journal", by: books.dispatcher)
        let two = try await begin("first.journal", by: books.dispatcher)
        let failure = ImportJob.Failure(code: "test", message: "It fails.")

        try await books.dispatcher.dispatch(ChangeImport(.fail(failure), of: one))
        await #expect(throws: ContentReserved.self) { try await begin("second.journal", by: books.dispatcher) }
        try await books.dispatcher.dispatch(ChangeImport(.fail(failure), of: two))
        try await books.dispatcher.dispatch(ChangeImport(.fail(failure), of: two))

        try await books.dispatcher.dispatch(try command(named: "second.journal"))
        #expect(try await books.balances() == balances)
    }

    @Test(arguments: StoreKind.allCases)
    func anImportThatFailsAfterItHasPostedKeepsItsContent(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let id = try await begin("first.journal", by: books.dispatcher)
        try await books.dispatcher.dispatch(try step(id, of: "first.journal", 0..<1))
        let failure = ImportJob.Failure(code: "test", message: "It fails.")
        try await books.dispatcher.dispatch(ChangeImport(.fail(failure), of: id))

        await #expect(throws: ContentReserved.self) {
            try await books.dispatcher.dispatch(try command(named: "second.journal"))
        }
        try await books.dispatcher.dispatch(try command(named: "first.journal"))

        #expect(try await books.balances() == balances)
        let outcome = try await books.dispatcher.dispatch(GetImport(of: "first.journal"))
        #expect(outcome == GetImport.Outcome(posted: 1, known: 1, sameAs: nil))
    }

    @Test(arguments: StoreKind.allCases)
    func aContentStaysReservedWhenItsJournalHasGrown(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.import(journal, named: "first.journal")
        try await books.import(journal + "2026-01-03 more\n    food  1 EUR\n    cash\n", named: "first.journal")

        let outcome = try await books.import(journal, named: "copy.journal")

        #expect(outcome == GetImport.Outcome(posted: 0, known: 2, sameAs: "first.journal"))
        #expect(try await books.balances(matching: "food") == ["food 11 EUR"])
    }

    /// Earlier versions have made no reservations.
    @Test(arguments: StoreKind.allCases)
    func contentOfEarlierVersionsIsReserved(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let unitOfWork: UnitOfWork<EntityContext> = books.container.resolve()
        try await unitOfWork.execute { [content] context in
            context.insert(ImportJob(id: .version7(), name: "open.journal", content: content, total: 2))
        }
        await #expect(throws: ContentReserved.self) {
            try await books.dispatcher.dispatch(try command(named: "second.journal"))
        }
        _ = try await begin("open.journal", by: books.dispatcher)

        let later = try await TestBooks(kind)
        let earlier: UnitOfWork<EntityContext> = later.container.resolve()
        try await earlier.execute { [content] context in
            let copy = ImportedJournal(named: "a-copy.journal", content: content)
            copy.recordImport(of: content, posted: 0, known: 2, sameAs: "imported.journal")
            context.insert(copy)
            let journal = ImportedJournal(named: "imported.journal", content: content)
            journal.recordImport(of: content, posted: 2, known: 0)
            context.insert(journal)
        }
        for name in ["second.journal", "third.journal"] {
            try await later.dispatcher.dispatch(try command(named: name))
            #expect(try await later.dispatcher.dispatch(GetImport(of: name))?.sameAs == "imported.journal")
        }
        #expect(try await later.balances() == [])
    }
}
