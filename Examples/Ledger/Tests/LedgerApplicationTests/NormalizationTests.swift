// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import LedgerBooks
import LedgerJournal
import Testing

@testable import LedgerApplication

/// A composed and a decomposed text.
///
/// They are equal in Swift, but their bytes differ.
private let composed = "caf\u{E9}"
private let decomposed = "cafe\u{301}"

/// The bytes of a text, for comparisons.
private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite struct NormalizationTests {
    @Test func composedTextsAreUnchanged() {
        #expect(bytes(composed) != bytes(decomposed))
        for text in [composed, decomposed] { #expect(bytes(text.composed) == bytes(composed)) }
        #expect(composed.isComposed && "food".isComposed && "\u{65E5}\u{672C}".isComposed && !decomposed.isComposed)
        // The Angstrom sign, and a Hangul syllable in its parts.
        #expect(bytes("\u{212B}\u{1100}\u{1161}".composed) == bytes("\u{C5}\u{AC00}"))
    }

    @Test(arguments: StoreKind.allCases)
    func bothSpellingsOfANameAreOneAccount(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        for (account, amount) in [(decomposed, "10"), (composed, "5"), (decomposed + ":x", "1")] {
            try await books.dispatcher.dispatch(PostTransaction(try transfer(amount, from: "cash", to: account)))
        }

        #expect(try await books.balances(matching: decomposed.uppercased()).count == 2)
        let names = try await books.dispatcher.dispatch(GetAccounts())
        #expect(names.map(bytes) == [composed, composed + ":x", "cash"].map(bytes))
        for spelling in [composed, decomposed] {
            let register = try await books.dispatcher.dispatch(GetRegister(matching: [spelling]))
            #expect(register.map(\.total) == [Quantity("10"), Quantity("15"), Quantity("16")])
            let page = try await books.dispatcher.dispatch(GetRegisterPage(of: spelling))
            #expect(page.lines.count == 3)
            #expect(page.lines.first?.balance == [Amount(try Quantity(mantissa: 16), "EUR")])
        }
        try await books.dispatcher.dispatch(SetAccountRule(AccountRule(neverBelowZero: true), of: decomposed))
        await #expect(throws: AccountRefusal.self) {
            try await books.dispatcher.dispatch(PostTransaction(try transfer("16", from: composed, to: "cash")))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aJournalIsRecognizedInAnotherSpelling(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let text = "2026-01-01 \(decomposed)\n    \(decomposed)   10 EUR\n    cash\n"

        try await books.import(text, named: "\(decomposed).journal")
        let same = try await books.import(text, named: "\(composed).journal")
        let other = try await books.import(text.composed, named: "\(decomposed).journal")

        #expect(same == GetImport.Outcome(posted: 0, known: 1, sameAs: nil))
        #expect(other == GetImport.Outcome(posted: 0, known: 1, sameAs: nil))
        #expect(try await books.balances(matching: composed) == ["\(composed) 10 EUR"])
    }

    @Test func equalTransactionsInTwoSpellingsAreBothPosted() async throws {
        let books = try await TestBooks()
        let text = [decomposed, composed, decomposed].map { "2026-01-01 x\n    \($0)   10 EUR\n    cash\n\n" }.joined()

        let outcome = try await books.import(text)
        let again = try await books.import(text + "; more\n")

        #expect(outcome?.posted == 3)
        #expect(again == GetImport.Outcome(posted: 0, known: 3, sameAs: nil))
        #expect(try await books.balances(matching: composed) == ["\(composed) 30 EUR"])
    }

    /// Its record has the composed origin, so the posted transaction isn't found.
    @Test func aChangedAmountOfADecomposedTransactionOfAnEarlierVersionIsRefused() async throws {
        let books = try await TestBooks()
        let origin = Fingerprint(["test.journal", "2026-01-10", "", "", decomposed, "10 EUR", "cash", "", "1"])
        var old = try transfer("10", from: "cash", to: decomposed, on: "2026-01-10")
        old.description = ""
        try await books.dispatcher.dispatch(PostTransaction(old, origin: origin))
        let text = "2026-01-10\n    \(decomposed)  = 10 EUR\n    cash\n"

        let known = try await books.import(text)
        let same = try await books.import(text.composed)
        let refusal = await #expect(throws: ImportRefusal.self) {
            try await books.import("2026-01-05\n    \(decomposed)  2 EUR\n    cash\n" + text)
        }

        #expect([known, same].map { $0?.known } == [1, 1])
        #expect(refusal?.refusal.message.hasPrefix("The transaction was posted before. Its balance") == true)
        #expect(try await books.balances(matching: composed) == ["\(composed) 10 EUR"])
    }

    /// An earlier version has stored names in their spelling, in documents and in indexes.
    @Test func dataOfAnEarlierVersionIsFoundByBothSpellings() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ledger-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "books.sqlite").path(percentEncoded: false)
        let journal = "2026-01-01 old\n    \(decomposed)   10 EUR\n    cash\n"
        let origin = Fingerprint(["test.journal", "2026-01-01", "", "old", decomposed, "10 EUR", "cash", "", "1"])
        let old = try SQLiteStore(path: path, entities: [OldAccount.self, OldTransaction.self, OldStatement.self])
        let earlier = EntityContext(old)
        earlier.insert(OldAccount(id: decomposed, balances: ["EUR": "10"]))
        earlier.insert(OldAccount(id: "cash", balances: ["EUR": "-10"]))
        earlier.insert(OldTransaction(account: decomposed, origin: origin))
        earlier.insert(OldStatement(account: decomposed))
        try await earlier.commit([])
        try old.close()

        let store = try SQLiteStore(path: path, entities: LedgerComposition.entities)
        let container = try LedgerComposition.makeContainer(on: store)
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        try await dispatcher.dispatch(PostTransaction(try transfer("5", from: "cash", to: composed)))
        let bytes = Array(journal.utf8)
        try await dispatcher.dispatch(
            ImportJournal(
                try JournalParser().parse(bytes, file: "test.journal"), named: "test.journal",
                content: Fingerprint(bytes: bytes)))

        #expect(try await dispatcher.dispatch(GetImport(of: "test.journal"))?.known == 1)
        for spelling in [composed, decomposed] {
            let register = try await dispatcher.dispatch(GetRegister(matching: [spelling]))
            #expect(register.map(\.total) == [Quantity("10"), Quantity("15")])
            let history = try await dispatcher.dispatch(GetHistory(of: spelling))
            #expect(history.first?.points.map(\.quantity.description) == ["10"])
        }
        try store.close()
    }
}

// The format of the first version.

private final class OldAccount: StoredEntity {
    static let entityName = "account"
    var raisedEvents = RaisedEvents()
    let id: String
    let balances: [String: String]
    let transactionCount: Int

    init(id: String, balances: [String: String]) {
        self.id = id
        self.balances = balances
        transactionCount = 1
    }

    private enum CodingKeys: CodingKey { case id, balances, transactionCount }
}

private final class OldTransaction: StoredEntity {
    struct Line: Codable {
        let account: String
        let amount: String
    }

    static let entityName = "transaction"
    static var indexes: [EntityIndex<OldTransaction>] {
        [
            EntityIndex("date") { $0.date }, EntityIndex("account", each: { $0.postings.map(\.account) }),
            EntityIndex("origin", unique: true) { $0.origin },
        ]
    }

    var raisedEvents = RaisedEvents()
    let id: UUID
    let date: String
    let status: String
    let code: String
    let description: String
    let comment: String
    let postings: [Line]
    let origin: Fingerprint

    init(account: String, origin: Fingerprint) {
        id = .version7()
        date = "2026-01-01"
        status = "unmarked"
        code = ""
        description = "old"
        comment = ""
        postings = [Line(account: account, amount: "10 EUR"), Line(account: "cash", amount: "-10 EUR")]
        self.origin = origin
    }

    private enum CodingKeys: CodingKey { case id, date, status, code, description, comment, postings, origin }
}

private final class OldStatement: StoredEntity {
    static let entityName = "daily-statement"
    static var indexes: [EntityIndex<OldStatement>] {
        [EntityIndex("account") { $0.account }, EntityIndex("date") { $0.date }]
    }

    var raisedEvents = RaisedEvents()
    let id: String
    let account: String
    let commodity: String
    let date: String
    let change: String

    init(account: String) {
        id = "2026-01-01 \"EUR\" \(account)"
        self.account = account
        commodity = "EUR"
        date = "2026-01-01"
        change = "10"
    }

    private enum CodingKeys: CodingKey { case id, account, commodity, date, change }
}
