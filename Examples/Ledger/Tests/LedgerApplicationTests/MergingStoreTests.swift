// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceTesting
import LedgerApplication
import LedgerBooks
import LedgerJournal
import Testing

private let journal = (1...40).map { "2026-01-0\($0 % 9 + 1) number \($0)\n    food   1 EUR\n    cash\n\n" }.joined()

@Suite(.timeLimit(.minutes(1))) struct MergingStoreTests {
    private func command(_ text: String = journal, named name: String = "test.journal") throws -> ImportJournal {
        let bytes = Array(text.utf8)
        return ImportJournal(
            try JournalParser().parse(bytes, file: name), named: name, content: Fingerprint(bytes: bytes))
    }

    /// There are more conflicts than retries of a command.
    @Test(arguments: StoreKind.allCases)
    func anImportIsStoredDespiteManyConflicts(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let server = books.dispatcher
        try await server.dispatch(PostTransaction(try transfer("7", from: "cash", to: "food")))
        let other = try books.otherProcess { attempt in
            if attempt > 50 { return }
            try await server.dispatch(PostTransaction(try transfer("100", from: "cash", to: "food")))
        }

        try await other.dispatcher.dispatch(try command())

        #expect(try await books.balances() == ["cash -5047 EUR", "food 5047 EUR"])
        #expect(other.store.commitCount == 51)
        let states = try await server.dispatch(GetAccountStates())
        #expect(states.reduce(0) { $0 + $1.transactionCount } == 91)
        #expect(try await server.dispatch(GetImport(of: "test.journal"))?.posted == 40)
        let register = try await server.dispatch(GetRegister(matching: ["food"]))
        #expect(register.count == 91 && register.last?.total == Quantity("5047"))
        let moved = try await books.store.events(after: 0, limit: .max)
            .filter { $0.event.name == AccountMoved.eventName && $0.event.stream?.key == "food" }
            .flatMap { try JSONDecoder().decode(AccountMoved.self, from: $0.event.json).movements }
        let told = try moved.reduce(Quantity.zero) { try $0.adding($1.change) }
        #expect(told == Quantity("5047"))
    }

    @Test(arguments: StoreKind.allCases)
    func accountsThatOthersInsertMeanwhileAreFoundByTheRetry(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let server = books.dispatcher
        let other = try books.otherProcess { attempt in
            if attempt > 3 { return }
            let account = ["cash", "food", "rent"][attempt - 1]
            try await server.dispatch(PostTransaction(try transfer("100", from: account, to: "new\(attempt)")))
        }

        try await other.dispatcher.dispatch(try command())

        #expect(try await books.balances(matching: "cash", "food") == ["cash -140 EUR", "food -60 EUR"])
        #expect(try await books.eventNames().count { $0 == AccountOpened.eventName } == 6)
    }

    @Test(arguments: StoreKind.allCases)
    func aRuleThatIsSetMeanwhileIsEnforced(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let server = books.dispatcher
        try await server.dispatch(PostTransaction(try transfer("10", from: "equity", to: "cash")))
        try await server.dispatch(PostTransaction(try transfer("1", from: "equity", to: "food")))
        for rule in [
            AccountRule(neverBelowZero: true), AccountRule(closedFrom: BookDate("2026-01-09")),
        ] {
            let other = try books.otherProcess { _ in try await server.dispatch(SetAccountRule(rule, of: "cash")) }

            await #expect(throws: AccountRefusal.self) { try await other.dispatcher.dispatch(try command()) }

            #expect(try await books.balances(matching: "cash") == ["cash 10 EUR"])
            try await server.dispatch(SetAccountRule(nil, of: "cash"))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aRuleOfAParentThatIsSetMeanwhileIsEnforced(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let server = books.dispatcher
        try await server.dispatch(PostTransaction(try transfer("10", from: "equity", to: "assets:cash")))
        try await server.dispatch(PostTransaction(try transfer("1", from: "equity", to: "food")))
        let rule = AccountRule(neverBelowZero: true)
        let other = try books.otherProcess { _ in try await server.dispatch(SetAccountRule(rule, of: "assets")) }
        let command = try command("2026-01-01 x\n    food  11 EUR\n    assets:cash\n")

        await #expect(throws: AccountRefusal.self) { try await other.dispatcher.dispatch(command) }

        #expect(try await books.balances(matching: "cash") == ["assets:cash 10 EUR"])
    }

    /// The values of the test report each context that is released with changes.
    @Test func aRefusedMergeIsNoMistakeOfTheProgram() async throws {
        let books = try await TestBooks()
        let server = books.dispatcher
        try await server.dispatch(PostTransaction(try transfer("10", from: "equity", to: "cash")))
        try await server.dispatch(PostTransaction(try transfer("1", from: "equity", to: "food")))
        let other = try books.otherProcess { _ in
            try await server.dispatch(SetAccountRule(AccountRule(neverBelowZero: true), of: "cash"))
        }
        let command = try command()

        await #expect(throws: AccountRefusal.self) {
            try await SystemValues.withCurrent(.test()) { try await other.dispatcher.dispatch(command) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anImportThatIsCancelledDuringConflictsLeavesNothing(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let server = books.dispatcher
        try await server.dispatch(PostTransaction(try transfer("7", from: "cash", to: "food")))
        let other = try books.otherProcess(cancellingAt: 20) { _ in
            try await server.dispatch(PostTransaction(try transfer("1", from: "cash", to: "food")))
        }

        let command = try command()
        let task = Task { try await other.dispatcher.dispatch(command) }

        await #expect(throws: CancellationError.self) { try await task.value }

        #expect(try await books.balances() == ["cash -27 EUR", "food 27 EUR"])
        #expect(try await server.dispatch(GetImport(of: "test.journal")) == nil)
    }
}
