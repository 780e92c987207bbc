// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceCore
import LedgerApplication
import LedgerBooks
import Synchronization
import Testing

@Suite struct PostTransactionTests {
    @Test(arguments: StoreKind.allCases)
    func postingChangesTheBalancesOfItsAccounts(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)

        try await books.dispatcher.dispatch(PostTransaction(try transfer("12.50")))
        try await books.dispatcher.dispatch(PostTransaction(try transfer("0.75")))

        #expect(try await books.balances() == ["assets:cash -13.25 EUR", "expenses:food 13.25 EUR"])
    }

    @Test(arguments: StoreKind.allCases)
    func anUnbalancedTransactionIsRefusedByTheDomainAndLeavesNothing(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        var draft = try transfer("12.50")
        draft.postings[1].amount = Amount(try Quantity(mantissa: -1, scale: 0), "EUR")

        let refusal = await #expect(throws: PostingRefusal.self) {
            try await books.dispatcher.dispatch(PostTransaction(draft))
        }

        #expect(refusal?.code == .unbalanced)
        #expect(try await books.balances() == [])
        #expect(try await books.eventNames() == [])
    }

    @Test(arguments: StoreKind.allCases)
    func aTransactionThatOverflowsATotalIsRefusedAndLeavesNothing(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        // The maximum of a total. Twice the amount needs another digit.
        let most = String(repeating: "9", count: 32)
        try await books.dispatcher.dispatch(PostTransaction(try transfer(most)))
        let before = try await books.balances()

        let error = await #expect(throws: PostingRefusal.self) {
            try await books.dispatcher.dispatch(PostTransaction(try transfer(most)))
        }

        #expect(error?.code == .overflow)
        #expect(try await books.balances() == before)
        #expect(try await books.eventNames().count(where: { $0 == TransactionPosted.eventName }) == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func eachAccountIsOpenedOnce(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)

        for _ in 1...3 { try await books.dispatcher.dispatch(PostTransaction(try transfer("1"))) }

        #expect(try await books.eventNames().count(where: { $0 == AccountOpened.eventName }) == 2)
        #expect(books.container.resolve(ActivityLog.self).events["account-opened"] == 2)
        #expect(books.container.resolve(ActivityLog.self).events["transaction-posted"] == 3)
    }

    /// Three layers need a unit of work: the idempotency key, the middleware, and, in an import, the outer command.
    @Test func aCommandIsOneUnitOfWorkWithOneCommit() async throws {
        let stages = StageCount()
        let books = try await TestBooks(observers: [stages])

        _ = try await IdempotencyMiddleware.withKey("once") {
            try await books.dispatcher.dispatch(PostTransaction(try transfer("5")))
        }
        #expect(stages.taken() == [.unitOfWork: 1, .commit: 1])

        try await books.import("2026-01-01 a\n    shop  1 EUR\n    y\n\n2026-01-02 b\n    shop  2 EUR\n    y\n")
        #expect(stages.taken() == [.unitOfWork: 1, .commit: 1])
        #expect(try await books.balances(matching: "shop") == ["shop 3 EUR"])
    }

    @Test(arguments: StoreKind.allCases)
    func theSameOriginIsNotPostedTwice(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let command = PostTransaction(try transfer("5"), origin: Fingerprint(["once"]))
        try await books.dispatcher.dispatch(command)

        let error = await #expect(throws: StoreError.self) { try await books.dispatcher.dispatch(command) }

        #expect(error?.code == .uniqueViolation)
        #expect(try await books.balances() == ["assets:cash -5 EUR", "expenses:food 5 EUR"])
    }
}

/// Counts units of work and commits.
private final class StageCount: MessageObserver {
    private let counts = Mutex<[MessageStage.Kind: Int]>([:])

    func messageBegan(_ context: MessageContext) {}

    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {}

    func stageBegan(_ stage: MessageStage) {
        guard stage.kind == .unitOfWork || stage.kind == .commit else { return }
        counts.withLock { $0[stage.kind, default: 0] += 1 }
    }

    /// Returns the counts since the last call.
    func taken() -> [MessageStage.Kind: Int] {
        counts.withLock { counts in
            defer { counts = [:] }
            return counts
        }
    }
}
