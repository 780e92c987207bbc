// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceStorage
import LedgerApplication
import LedgerBooks
import Synchronization
import Testing

/// Two servers on one store, without common locks.
@Suite(.timeLimit(.minutes(1))) struct TwoServersTests {
    @Test(arguments: StoreKind.allCases)
    func twoServersThatOpenTheSameAccountsAtOnceBothPost(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let other = try server(on: books.store)
        let hasPosted = Atomic(false)
        let one = try server(
            on: StoreWithAnotherServer(books.store) {
                if hasPosted.exchange(true, ordering: .relaxed) { return }
                try await other.dispatch(PostTransaction(try transfer("2")))
            }
        )

        try await one.dispatch(PostTransaction(try transfer("1")))

        #expect(try await books.balances() == ["assets:cash -3 EUR", "expenses:food 3 EUR"])
        #expect(try await books.eventNames().count(where: { $0 == AccountOpened.eventName }) == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func twoServersThatReceiveTheSameKeyAtOncePostOnceAndBothSucceed(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let other = try server(on: books.store)
        let command = PostTransaction(try transfer("1"), origin: Fingerprint(["idempotency-key", "key"]))
        let hasPosted = Atomic(false)
        let one = try server(
            on: StoreWithAnotherServer(books.store) {
                if hasPosted.exchange(true, ordering: .relaxed) { return }
                _ = try await IdempotencyMiddleware.withKey("key") { try await other.dispatch(command) }
            }
        )

        _ = try await IdempotencyMiddleware.withKey("key") { try await one.dispatch(command) }

        #expect(try await books.balances() == ["assets:cash -1 EUR", "expenses:food 1 EUR"])
    }

    private func server(on store: any DeliveryStore) throws -> any CommandQueryDispatcher {
        try LedgerComposition.makeContainer(on: store).resolve()
    }
}

/// A store that runs another task before each commit.
private final class StoreWithAnotherServer: StoreDecorator {
    let base: any DeliveryStore
    private let interruption: @Sendable () async throws -> Void

    init(_ base: any DeliveryStore, _ interruption: @escaping @Sendable () async throws -> Void) {
        self.base = base
        self.interruption = interruption
    }

    func commit(_ changes: ChangeSet) async throws {
        // A detached task, without the lock keys and the unit of work of this task.
        try await Task.detached { [interruption] in try await interruption() }.value
        try await base.commit(changes)
    }
}
