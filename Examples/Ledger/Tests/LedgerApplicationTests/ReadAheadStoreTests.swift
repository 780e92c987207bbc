// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceStorage
import LedgerBooks
import Testing

@testable import LedgerApplication

/// A ledger whose commits a test releases one by one.
private struct HeldBooks: Sendable {
    let store: HeldStore
    let container: Container

    init() throws {
        store = try HeldStore()
        container = try LedgerComposition.makeContainer(on: store)
    }

    func post(_ amount: String, from source: String = "cash", to target: String = "food") async throws {
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        try await dispatcher.dispatch(PostTransaction(try transfer(amount, from: source, to: target)))
    }

    func balances() async throws -> [String] {
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        return try await dispatcher.dispatch(GetBalances()).map { "\($0.account) \($0.amount)" }
    }
}

@Suite(.timeLimit(.minutes(1))) struct ReadAheadStoreTests {
    @Test func commandsReadPendingChangesAndQueriesReadStoredChanges() async throws {
        let books = try HeldBooks()
        books.store.hold()

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...5 { group.addTask { try await books.post("1") } }
            // All five commits have started, though each changes the same two accounts.
            await books.store.holds(5)
            #expect(try await books.balances() == [])
            // The last commit may not be suspended yet. Then it overtakes the others and is retried.
            books.store.releaseAll()
            try await group.waitForAll()
        }

        #expect(try await books.balances() == ["cash -5 EUR", "food 5 EUR"])
    }

    /// Otherwise the third command would have to be repeated.
    @Test func aStoredCommitKeepsThePendingChangesOfItsSuccessors() async throws {
        let books = try HeldBooks()
        books.store.hold()
        let first = Task { try await books.post("1") }
        await books.store.holds(1)
        let second = Task { try await books.post("2") }
        await books.store.holds(2)
        books.store.release()
        try await first.value

        let third = Task { try await books.post("4") }
        await books.store.holds(2)
        books.store.release()
        try await second.value
        books.store.releaseAll()
        try await third.value

        #expect(books.store.commitCount == 3)
        #expect(try await books.balances() == ["cash -7 EUR", "food 7 EUR"])
    }

    @Test func aCommandThatHasReadFromAFailedCommitIsRetried() async throws {
        let books = try HeldBooks()
        try await books.post("10")
        books.store.hold()
        let first = Task { try await books.post("1") }
        await books.store.holds(1)
        let others = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...3 { group.addTask { try await books.post("2") } }
                try await group.waitForAll()
            }
        }
        await books.store.holds(4)

        books.store.release(failing: true)
        await #expect(throws: (any Error).self) { try await first.value }
        books.store.releaseAll()
        try await others.value

        #expect(try await books.balances() == ["cash -16 EUR", "food 16 EUR"])
    }

    /// The other process stores each account with the same version that the second command has read ahead.
    @Test func aCommitOfAnotherProcessBetweenTwoCommandsIsKept() async throws {
        let books = try HeldBooks()
        try await books.post("10")
        books.store.hold()
        let first = Task { try await books.post("1") }
        await books.store.holds(1)
        let second = Task { try await books.post("2") }
        await books.store.holds(2)

        let other = try LedgerComposition.makeContainer(on: books.store.base)
        let dispatcher: any CommandQueryDispatcher = other.resolve()
        try await dispatcher.dispatch(PostTransaction(try transfer("5", from: "cash", to: "food")))
        books.store.releaseAll()
        try await first.value
        try await second.value

        #expect(try await books.balances() == ["cash -18 EUR", "food 18 EUR"])
    }

    @Test func aRefusalThatDependsOnAFailedCommitIsRetried() async throws {
        let books = try HeldBooks()
        try await books.post("10", from: "equity", to: "cash")
        let dispatcher: any CommandQueryDispatcher = books.container.resolve()
        try await dispatcher.dispatch(SetAccountRule(AccountRule(neverBelowZero: true), of: "cash"))
        books.store.hold()
        let first = Task { try await books.post("10") }
        await books.store.holds(1)
        // After the first command, the balance is too low for this command.
        let second = Task { try await books.post("4") }
        let third = Task { try await books.post("1", from: "a", to: "b") }
        await books.store.holds(2)

        books.store.release(failing: true)
        await #expect(throws: (any Error).self) { try await first.value }
        books.store.releaseAll()
        try await second.value
        try await third.value

        #expect(try await books.balances() == ["a -1 EUR", "b 1 EUR", "cash 6 EUR", "equity -10 EUR", "food 4 EUR"])
    }

    @Test func aRefusalThatDependsOnAStoredCommitIsFinal() async throws {
        let books = try HeldBooks()
        try await books.post("10", from: "equity", to: "cash")
        let dispatcher: any CommandQueryDispatcher = books.container.resolve()
        try await dispatcher.dispatch(SetAccountRule(AccountRule(neverBelowZero: true), of: "cash"))
        books.store.hold()
        let first = Task { try await books.post("10") }
        await books.store.holds(1)
        let second = Task { try await books.post("4") }

        books.store.release()
        try await first.value
        await #expect(throws: AccountRefusal.self) { try await second.value }

        #expect(try await books.balances() == ["equity -10 EUR", "food 10 EUR"])
    }

    // MARK: Requirements

    /// Runs serialized units of work on a read-ahead store, without retries.
    private struct SerializedUnits: Sendable {
        private struct Units: SerializedCommand {
            var lockKeys: Set<String> { ["accounts"] }
        }

        let held: HeldStore
        private let readAhead: ReadAheadStore
        private let serializing = SerializingMiddleware()
        private let delegator = DomainEventHandlerRegistrar(resolver: ContainerBuilder().build())

        init() throws {
            held = try HeldStore()
            readAhead = ReadAheadStore(held)
        }

        func execute(_ units: [@Sendable (EntityContext) async throws -> Void]) async throws {
            let context = MessageContext(kind: .command, type: Units.self)
            let next = Next<Units, Void>(in: context) { [readAhead, delegator] _ in
                for unit in units {
                    try await UnitOfWork(delegator: delegator, context: EntityContext(readAhead)).execute(unit)
                }
            }
            try await serializing.handle(Units(), in: context, next: next)
        }

        /// The stored version of an account.
        func version(of account: String) async throws -> Int? {
            try await held.base.find(EntityReference(kind: Account.entityName, key: account))?.version
        }
    }

    /// The account that was read ahead is not changed, so the context doesn't require it.
    @Test(arguments: [true, false])
    func aCommitRequiresTheUnchangedDocumentsThatWereReadAhead(readsSeveral: Bool) async throws {
        let units = try SerializedUnits()
        units.held.hold()
        let first = Task { try await units.execute([{ $0.insert(Account(opening: "a")) }]) }
        await units.held.holds(1)
        let second = Task {
            try await units.execute([
                { context in
                    let read =
                        readsSeveral
                        ? try await context.find(Account.self, ids: ["a"]).first
                        : try await context.find(Account.self, id: "a")
                    if read != nil { context.insert(Account(opening: "b")) }
                }
            ])
        }
        await units.held.holds(2)

        units.held.release(failing: true)
        await #expect(throws: (any Error).self) { try await first.value }
        units.held.releaseAll()
        let refusal = await #expect(throws: StoreError.self) { try await second.value }

        #expect(refusal?.code == .versionConflict)
        #expect(try await units.version(of: "a") == nil)
        #expect(try await units.version(of: "b") == nil)
    }

    /// The first unit of work changes the document that was read ahead.
    ///
    /// The second changes another document.
    @Test func aReadAheadDocumentIsRequiredOnlyUntilItIsStored() async throws {
        let units = try SerializedUnits()
        units.held.hold()
        let first = Task { try await units.execute([{ $0.insert(Account(opening: "a")) }]) }
        await units.held.holds(1)
        let second = Task {
            try await units.execute([
                { try await $0.find(Account.self, id: "a")?.countTransaction() },
                { $0.insert(Account(opening: "b")) },
            ])
        }
        await units.held.holds(2)

        // Two commits that are released at once can run in either order.
        units.held.release()
        try await first.value
        units.held.releaseAll()
        try await second.value

        #expect(try await units.version(of: "a") == 2)
        #expect(try await units.version(of: "b") == 1)
    }
}
