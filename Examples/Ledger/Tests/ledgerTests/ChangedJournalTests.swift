// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

private let rent = "2026-01-01 rent\n    home   700 EUR\n    bank\n"
private let food = "2026-01-02 food\n    food   3 EUR\n    bank\n"
private let fuel = "2026-01-03 fuel\n    car   40 EUR\n    bank\n"

/// Journals that were changed, renamed, or moved since their last import.
@Suite(.timeLimit(.minutes(3))) struct ChangedJournalTests {
    private let ledger: LedgerProcess

    init() throws {
        ledger = try LedgerProcess()
        for folder in ["mine", "hers"] {
            try FileManager.default.createDirectory(
                at: ledger.folder.appending(path: folder), withIntermediateDirectories: true)
        }
    }

    private func importing(_ text: String, _ arguments: String...) throws -> LedgerProcess.Outcome {
        try ledger.write(text, to: "a.journal")
        return try ledger.run(["import", "a.journal"] + arguments)
    }

    private func balances() throws -> [String] {
        try ledger.run("balance", "--format", "csv").output.split(separator: "\n").dropFirst().map { String($0) }
    }

    @Test(arguments: [
        food.replacing("food   3", with: "food   4"), food.replacing("3 EUR", with: "3.00 EUR"),
        food.replacing("01-02 food", with: "01-02 Food"), food.replacing("01-02", with: "01-04"), "",
    ])
    func aTransactionThatIsNoLongerInTheJournalIsReported(changed: String) throws {
        _ = try importing(rent + food)
        let before = try balances()

        let outcome = try importing(rent + changed + fuel)

        #expect(outcome.status == 1)
        #expect(
            outcome.errors == "Error: 1 transaction of the last import is no longer in this journal: "
                + "2026-01-02 food (3 EUR to 'food'). Nothing of 'a.journal' was imported. To fix, restore the journal, or "
                + "import it with '--replace' to reverse them, or with '--keep' to leave them in the books.\n"
        )
        #expect(try balances() == before)
    }

    @Test func aChangedTransactionIsReplaced() throws {
        _ = try importing(rent + food)

        let outcome = try importing(rent + food.replacing("3 EUR", with: "4 EUR"), "--replace")
        let again = try importing(rent + food.replacing("3 EUR", with: "4 EUR") + fuel)

        #expect(
            outcome.output
                == "a.journal: 1 transaction posted, 1 posted before, 1 no longer in the journal and reversed\n")
        #expect(again.output == "a.journal: 1 transaction posted, 2 posted before\n")
        #expect(try balances() == ["bank,EUR,-744", "car,EUR,40", "food,EUR,4", "home,EUR,700"])
        // The reversal has the date of the transaction, so no balance in between is wrong.
        #expect(try ledger.run("balance", "food", "--end", "2026-01-03").output.contains("4 EUR"))
    }

    @Test func aReplacedTransactionIsPostedAgainIfItIsRestored() throws {
        _ = try importing(rent + food)
        _ = try importing(rent, "--replace")

        let restored = try importing(rent + food)

        #expect(restored.output == "a.journal: 1 transaction posted, 1 posted before\n")
        #expect(try balances() == ["bank,EUR,-703", "food,EUR,3", "home,EUR,700"])
    }

    @Test func aKeptTransactionIsReportedOnce() throws {
        _ = try importing(rent + food)

        let kept = try importing(rent + fuel, "--keep")
        let again = try importing(rent + fuel + "\n")

        #expect(
            kept.output
                == "a.journal: 1 transaction posted, 1 posted before, 1 no longer in the journal and left in the books\n"
        )
        #expect(again.output == "a.journal: 0 transactions posted, 2 posted before\n")
        #expect(try balances() == ["bank,EUR,-743", "car,EUR,40", "food,EUR,3", "home,EUR,700"])
        #expect(try importing(rent, "--keep", "--replace").status == 64)
    }

    @Test func aTransactionThatWasReversedByHandIsNotMissed() throws {
        _ = try importing(rent + food)
        let id = try ledger.run("transactions", "food", "--format", "csv").output
            .split(separator: "\n").dropFirst().first?.split(separator: ",").first
        #expect(try ledger.run("reverse", String(try #require(id)), "--date", "2026-01-02").status == 0)

        #expect(try importing(rent).output == "a.journal: 0 transactions posted, 1 posted before\n")
    }

    /// `*` marks a transaction as cleared, which isn't part of its content.
    @Test func aMarkIsNoChange() throws {
        _ = try importing(rent + food)

        let marked = food.replacing("01-02 food", with: "01-02 * food").replacing("    food", with: "    ! food")

        #expect(try importing(rent + marked).output == "a.journal: 0 transactions posted, 2 posted before\n")
    }

    @Test(arguments: ["b.journal", "hers/a.journal"])
    func aRenamedFileIsNotPostedAgain(name: String) throws {
        _ = try importing(rent + food)
        let folder = ledger.folder
        try FileManager.default.moveItem(at: folder.appending(path: "a.journal"), to: folder.appending(path: name))
        try ledger.write(rent + food + fuel, to: name)

        let first = try ledger.run("import", name)
        let second = try ledger.run("import", name)
        try ledger.write(rent + fuel, to: name)
        let third = try ledger.run("import", name)

        #expect(first.output.contains(": 1 transaction posted, 2 posted before; renamed from '"))
        #expect(second.output.hasSuffix(": 0 transactions posted, 3 posted before\n"))
        #expect(third.status == 1)
        #expect(try balances() == ["bank,EUR,-743", "car,EUR,40", "food,EUR,3", "home,EUR,700"])
    }

    @Test func aCopyBelongsToTheCopiedJournal() throws {
        _ = try importing(rent + food)
        try ledger.write(rent + food, to: "copy.journal")

        let copied = try ledger.run("import", "copy.journal")
        try ledger.write(rent + food + fuel, to: "copy.journal")
        let grown = try ledger.run("import", "copy.journal")

        #expect(copied.output.contains("0 transactions posted, as 'a.journal' has the same content"))
        #expect(grown.output == "copy.journal: 1 transaction posted, 2 posted before\n")
        #expect(try balances() == ["bank,EUR,-743", "car,EUR,40", "food,EUR,3", "home,EUR,700"])
    }

    @Test func filesOfOneNameInTwoFoldersAreDistinct() throws {
        try ledger.write(rent + food, to: "mine/a.journal")
        try ledger.write(food, to: "hers/a.journal")

        let mine = try ledger.run("import", "mine/a.journal")
        let hers = try ledger.run("import", "hers/a.journal")
        try ledger.write(food + fuel, to: "hers/a.journal")
        let grown = try ledger.run("import", "hers/../hers/a.journal")

        #expect(mine.output == "a.journal: 2 transactions posted\n")
        #expect(hers.output == "a.journal: 1 transaction posted\n")
        #expect(grown.output == "a.journal: 1 transaction posted, 1 posted before\n")
        #expect(try balances() == ["bank,EUR,-746", "car,EUR,40", "food,EUR,6", "home,EUR,700"])
    }
}
