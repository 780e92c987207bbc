// SPDX-License-Identifier: Apache-2.0

import Headrace
import LedgerBooks
import LedgerJournal
import Synchronization
import Testing

@testable import LedgerApplication

private let month = """
    2026-01-01 opening
        assets:cash   100.00 EUR
        equity

    2026-01-02 * coffee
        expenses:coffee   2.50 EUR
        assets:cash

    2026-01-02 * coffee
        expenses:coffee   2.50 EUR
        assets:cash

    """

private let balancesOfMonth = ["assets:cash 95.00 EUR", "equity -100.00 EUR", "expenses:coffee 5.00 EUR"]

@Suite struct ImportJournalTests {
    @Test func assignedAmountsArePostedOnceAndVirtualPostingsNever() async throws {
        let books = try await TestBooks()
        let text = "2026-01-01\n  a  1 EUR\n  b\n2026-01-02\n  a  = 5 EUR\n  (v)  3 EUR\n  b\n"

        let first = try await books.import(text)
        let second = try await books.import(text)
        let longer = try await books.import(text + "2026-01-03\n  a  = 7 EUR\n  b\n")

        #expect([first, second, longer].map { $0?.posted } == [2, 0, 1])
        #expect([first, second, longer].map { $0?.known } == [0, 2, 2])
        #expect(try await books.balances() == ["a 7 EUR", "b -7 EUR"])
    }

    private static let assigning = "2024-01-10\n    a  = 100 EUR\n    e\n"
    private static let earlier = "2024-01-05\n    a  20 EUR\n    i\n"

    @Test(arguments: StoreKind.allCases)
    func anAssignedAmountThatHasChangedIsRefusedAndNotPostedAgain(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.import(Self.assigning)

        let refusal = await #expect(throws: ImportRefusal.self) {
            try await books.import(Self.earlier + Self.assigning)
        }

        #expect(refusal?.line == 4)
        #expect(refusal?.refusal.code == .changedAssignment)
        #expect(refusal?.refusal.message.contains("posted before, as 100 EUR to 'a', -100 EUR to 'e'.") == true)
        #expect(try await books.balances() == ["a 100 EUR", "e -100 EUR"])

        let same = try await books.import(Self.assigning + "; again\n")
        let mended = try await books.import(Self.earlier + Self.assigning.replacing("= 100", with: "100"))

        #expect(same == GetImport.Outcome(posted: 0, known: 1, sameAs: nil))
        #expect(mended == GetImport.Outcome(posted: 1, known: 1, sameAs: nil))
        #expect(try await books.balances() == ["a 120 EUR", "e -100 EUR", "i -20 EUR"])
    }

    /// An earlier version has stored the origin with the computed amounts only, as for amounts that are written out.
    @Test func assignedAmountsOfAnEarlierVersionAreKnownAndRecorded() async throws {
        let books = try await TestBooks()
        try await books.import(Self.assigning.replacing("= 100", with: "100"))

        let outcome = try await books.import(Self.assigning)
        let refusal = await #expect(throws: ImportRefusal.self) {
            try await books.import(Self.earlier + Self.assigning)
        }

        #expect(outcome == GetImport.Outcome(posted: 0, known: 1, sameAs: nil))
        #expect(refusal?.refusal.code == .changedAssignment)
        #expect(try await books.balances() == ["a 100 EUR", "e -100 EUR"])
    }

    /// The new amount equals the amount of another transaction, so both have the same origin.
    @Test(arguments: StoreKind.allCases)
    func aChangedAmountIsRefusedIfItEqualsThatOfAnotherTransaction(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let text = Self.assigning + "2024-01-10\n    a  80 EUR\n    e\n"
        try await books.import(text)

        let refusal = await #expect(throws: ImportRefusal.self) { try await books.import(Self.earlier + text) }
        let mended = try await books.import(Self.earlier + text.replacing("= 100", with: "100"))

        #expect(refusal?.line == 4)
        #expect(refusal?.refusal.code == .changedAssignment)
        #expect(mended == GetImport.Outcome(posted: 1, known: 2, sameAs: nil))
        #expect(try await books.balances() == ["a 200 EUR", "e -180 EUR", "i -20 EUR"])
    }

    /// The assigned transaction becomes the second of its content, and the first is new.
    @Test func aNewTransactionWithTheAssignedAmountIsPosted() async throws {
        let books = try await TestBooks()
        try await books.import(Self.assigning)

        let equal = "2024-01-10\n    a  100 EUR\n    e\n"
        let opposite = "2024-01-05\n    a  -100 EUR\n    i\n"
        let outcome = try await books.import(opposite + equal + Self.assigning)

        #expect(outcome == GetImport.Outcome(posted: 2, known: 1, sameAs: nil))
        #expect(try await books.balances() == ["a 100 EUR", "e -200 EUR", "i 100 EUR"])
    }

    /// An earlier version has stored the number of transactions, and no list.
    @Test func aJournalThatWasChangedSinceAnImportByAnEarlierVersionIsRefused() async throws {
        let books = try await TestBooks()
        try await books.import(month)
        let context = EntityContext(books.store)
        for journal in try await context.fetch(KnownJournal.self) { context.delete(journal) }
        try await context.commit(context.takeEvents())
        let changed = month.replacing("100.00", with: "110.00")

        for missing in [MissingTransactions.refuse, .replace] {
            let refusal = await #expect(throws: ChangedJournal.self) {
                try await books.import(changed, missing: missing)
            }
            #expect(refusal?.count == 1)
        }
        let same = try await books.import(month + "; same\n")

        #expect(same == GetImport.Outcome(posted: 0, known: 3, sameAs: nil))
        #expect(try await books.balances() == balancesOfMonth)
    }

    @Test(arguments: StoreKind.allCases)
    func aReplacedAssignmentIsPostedAgainIfItIsRestored(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let rest = "2024-01-20\n    i  7 EUR\n    e\n"
        try await books.import(Self.assigning + rest)

        await #expect(throws: ChangedJournal.self) { try await books.import(rest) }
        try await books.import(rest, missing: .replace)
        let without = try await books.balances()
        let restored = try await books.import(Self.earlier + Self.assigning + rest)

        #expect(without == ["e -7 EUR", "i 7 EUR"])
        #expect(restored == GetImport.Outcome(posted: 2, known: 1, sameAs: nil))
        #expect(try await books.balances() == ["a 100 EUR", "e -87 EUR", "i -13 EUR"])
    }

    @Test func anAssignedAmountWithOtherZerosIsKnown() async throws {
        let books = try await TestBooks()
        try await books.import(Self.assigning)

        let cents = "2024-01-05\n    a  5.50 EUR\n    i\n2024-01-06\n    a  -5.50 EUR\n    i\n"
        let outcome = try await books.import(cents + Self.assigning)
        let again = try await books.import(cents + Self.assigning + "; again\n")

        #expect(outcome == GetImport.Outcome(posted: 2, known: 1, sameAs: nil))
        #expect(again == GetImport.Outcome(posted: 0, known: 3, sameAs: nil))
        #expect(try await books.balances() == ["a 100.00 EUR", "e -100 EUR"])
    }

    /// The new origin belongs to the written transaction, which would be posted again.
    @Test func anAssignedAmountWithOtherZerosIsRefusedIfItEqualsThatOfAnotherTransaction() async throws {
        let books = try await TestBooks()
        let text = Self.assigning + "2024-01-10\n    a  100.00 EUR\n    e\n"
        try await books.import(text)

        let cents = "2024-01-05\n    a  5.50 EUR\n    i\n2024-01-06\n    a  -5.50 EUR\n    i\n"
        let refusal = await #expect(throws: ImportRefusal.self) { try await books.import(cents + text) }
        let mended = try await books.import(cents + text.replacing("= 100", with: "100"))

        #expect(refusal?.refusal.message.contains("posted before, as 100 EUR to 'a', -100 EUR to 'e'.") == true)
        #expect(mended == GetImport.Outcome(posted: 2, known: 2, sameAs: nil))
        #expect(try await books.balances() == ["a 200.00 EUR", "e -200.00 EUR"])
    }

    @Test func theRefusalOfAChangedAmountNamesThePostedAmount() async throws {
        let books = try await TestBooks()
        let text = "2024-01-10\n    b  1 EUR\n    c  2 EUR\n    d  3 EUR\n    f  4 EUR\n    a  = 100 EUR\n    e\n"
        try await books.import(text)

        let refusal = await #expect(throws: ImportRefusal.self) { try await books.import(Self.earlier + text) }

        #expect(refusal?.refusal.message.contains("posted before, as 100 EUR to 'a', -110 EUR to 'e', …") == true)
    }

    @Test func equalAssignmentsOfOneDayAreDistinct() async throws {
        let books = try await TestBooks()
        let text = Self.assigning + "2024-01-10\n    a  -50 EUR\n    e\n" + Self.assigning

        let first = try await books.import(text)
        let second = try await books.import(text + "; again\n")

        #expect([first, second].map { $0?.posted } == [3, 0])
        #expect(try await books.balances() == ["a 100 EUR", "e -100 EUR"])
    }

    /// The second assignment gets the number of the first, and finds the record of the first.
    @Test(arguments: StoreKind.allCases)
    func anEqualAssignmentBeforeAnotherCanBeWrittenOut(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let out = "2024-01-10\n    a  -50 EUR\n    e\n"
        let written = Self.assigning.replacing("= 100", with: "100") + out + Self.assigning
        try await books.import(Self.assigning + out + Self.assigning)

        // The first amount is now that of the second, so it isn't written out but changed.
        let changed = "2024-01-05\n    a  50 EUR\n    i\n" + Self.assigning + out + Self.assigning
        let refusal = await #expect(throws: ImportRefusal.self) { try await books.import(changed) }
        let outcome = try await books.import(written)
        let later = await #expect(throws: ImportRefusal.self) { try await books.import(Self.earlier + written) }

        #expect(refusal?.line == 4)
        #expect(outcome == GetImport.Outcome(posted: 0, known: 3, sameAs: nil))
        #expect(later?.line == 10)
        #expect(later?.refusal.message.contains("as 50 EUR to 'a', -50 EUR to 'e'.") == true)
        #expect(try await books.balances() == ["a 100 EUR", "e -100 EUR"])
    }

    @Test(arguments: StoreKind.allCases)
    func equalTransactionsOfOneJournalAreAllPosted(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)

        let outcome = try await books.import(month)

        #expect(outcome == GetImport.Outcome(posted: 3, known: 0, sameAs: nil))
        #expect(try await books.balances() == balancesOfMonth)
    }

    @Test(arguments: StoreKind.allCases)
    func importingTwicePostsNothingTwice(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.import(month)

        let outcome = try await books.import(month)

        #expect(outcome == GetImport.Outcome(posted: 0, known: 3, sameAs: nil))
        #expect(try await books.balances() == balancesOfMonth)
        #expect(try await books.eventNames().count(where: { $0 == TransactionPosted.eventName }) == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func onlyNewTransactionsOfALongerJournalArePosted(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.import(month)

        let grown = month + "2026-01-02 * coffee\n    expenses:coffee   2.50 EUR\n    assets:cash\n"
        let outcome = try await books.import(grown)

        #expect(outcome == GetImport.Outcome(posted: 1, known: 3, sameAs: nil))
        #expect(try await books.balances(matching: "coffee") == ["expenses:coffee 7.50 EUR"])
    }

    @Test func changedMarksAndCommentsDoNotPostATransactionAgain() async throws {
        let books = try await TestBooks()
        try await books.import(month)

        let marked = month.replacing("2026-01-01 opening", with: "2026-01-01 ! opening ; checked")
        let outcome = try await books.import(marked)

        #expect(outcome == GetImport.Outcome(posted: 0, known: 3, sameAs: nil))
    }

    @Test(arguments: StoreKind.allCases)
    func theSameContentUnderAnotherNameIsNotPostedAgain(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.import(month, named: "january.journal")

        let outcome = try await books.import(month, named: "copy.journal")

        #expect(outcome == GetImport.Outcome(posted: 0, known: 3, sameAs: "january.journal"))
        #expect(try await books.balances() == balancesOfMonth)
    }

    @Test func equalTransactionsOfTwoJournalsAreBothPosted() async throws {
        let books = try await TestBooks()
        let coffee = "2026-01-02 coffee\n    expenses:coffee   2 EUR\n    assets:cash\n"

        try await books.import(coffee, named: "mine.journal")
        try await books.import("; hers\n" + coffee, named: "hers.journal")

        #expect(try await books.balances(matching: "coffee") == ["expenses:coffee 4 EUR"])
    }

    @Test(arguments: StoreKind.allCases)
    func aRefusedTransactionRefusesTheWholeJournal(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.import(month)
        let before = try await books.eventNames()
        let broken = "2026-02-01 fine\n    a   1 EUR\n    b\n\n2026-02-02 broken\n    a   1 EUR\n    b   1 EUR\n"

        let refusal = await #expect(throws: ImportRefusal.self) {
            try await books.import(broken, named: "february.journal")
        }

        #expect(refusal?.line == 5)
        #expect(refusal?.refusal.code == .unbalanced)
        #expect(refusal?.description.hasPrefix("february.journal:5: ") == true)
        #expect(try await books.balances() == balancesOfMonth)
        #expect(try await books.eventNames() == before)
        #expect(try await books.dispatcher.dispatch(GetImport(of: "february.journal")) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func anImportThatIsCancelledLeavesNothing(kind: StoreKind) async throws {
        let progress = CancellingProgress(at: 512)
        let books = try await TestBooks(kind, progress: progress)
        let long = (1...1000).map { "2026-01-01 number \($0)\n    a   1 EUR\n    b\n\n" }.joined()

        await #expect(throws: CancellationError.self) { try await books.import(long) }

        #expect(progress.seen.contains(512))
        #expect(try await books.balances() == [])
        #expect(try await books.eventNames() == [])
    }

    @Test func progressIsReportedFromTheStartToTheEnd() async throws {
        let progress = RecordingProgress()
        let books = try await TestBooks(progress: progress)
        let long = (1...600).map { "2026-01-01 number \($0)\n    a   1 EUR\n    b\n\n" }.joined()

        try await books.import(long)

        #expect(progress.seen == [0, 256, 512, 600])
    }

    /// Every prefix of a journal is imported whole, or refused by a typed error without an effect.
    @Test func aTruncatedJournalIsImportedWholeOrNotAtAll() async throws {
        let bytes = Array(month.utf8)
        for length in 0...bytes.count {
            let books = try await TestBooks()
            do {
                try await books.import(Array(bytes.prefix(length)))
                let transactions = try await books.eventNames().count { $0 == TransactionPosted.eventName }
                #expect(transactions <= 3)
            } catch is JournalError {
                #expect(try await books.eventNames() == [], "cut at \(length)")
            } catch is ImportRefusal {
                #expect(try await books.eventNames() == [], "cut at \(length)")
            }
        }
    }
}

/// Records the progress.
private final class RecordingProgress: ImportProgress {
    private let reports = Mutex<[Int]>([])

    var seen: [Int] { reports.withLock(\.self) }

    func advance(of journal: String, done: Int, total: Int) {
        reports.withLock { $0.append(done) }
    }
}

/// Cancels the importing task when the progress reaches a number of transactions.
private final class CancellingProgress: ImportProgress {
    private let limit: Int
    private let reports = Mutex<[Int]>([])

    init(at limit: Int) {
        self.limit = limit
    }

    var seen: [Int] { reports.withLock(\.self) }

    func advance(of journal: String, done: Int, total: Int) {
        reports.withLock { $0.append(done) }
        if done == limit { Task.cancelCurrent() }
    }
}
