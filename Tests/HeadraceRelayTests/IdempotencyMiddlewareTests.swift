// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

/// G8: a command with an idempotency key takes effect once, however often it is sent.
@Suite(.timeLimit(.minutes(2))) struct IdempotencyMiddlewareTests {
    private let store: InMemoryStore
    private let chain: MiddlewareChain
    private let delegator = RecordingDelegator()
    private let runs = Counter()

    init() throws {
        store = try InMemoryStore(entities: [Balance.self])
        chain = MiddlewareChain(middleware: [
            RetryMiddleware(backoff: Backoff(base: .zero), clock: TestClock()),
            IdempotencyMiddleware(on: store, delegator: delegator),
        ])
    }

    private struct Deposit: Codable, Sendable, IdempotentMessage {
        var key: String
        var amount: Int
        var idempotencyKey: String { key }
    }

    private struct Unkeyed: Codable, Sendable {
        var amount = 1
    }

    private nonisolated(nonsending) func send(_ deposit: Deposit) async throws -> Int {
        let (store, delegator, runs) = (store, delegator, runs)
        return try await chain.run(deposit, kind: .command) { deposit in
            runs.count()
            return try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { context in
                let balance = try await context.find(Balance.self, id: "a") ?? Balance("a")
                context.insert(balance)
                balance.amount += deposit.amount
                return balance.amount
            }
        }
    }

    private nonisolated(nonsending) func balance() async throws -> Int? {
        try await EntityContext(store).find(Balance.self, id: "a")?.amount
    }

    @Test func aRepeatedCommandReturnsTheFirstOutcome() async throws {
        #expect(try await send(Deposit(key: "1", amount: 5)) == 5)
        #expect(try await send(Deposit(key: "2", amount: 1)) == 6)
        #expect(try await send(Deposit(key: "1", amount: 5)) == 5)

        #expect(try await balance() == 6)
        #expect(runs.value == 2)
    }

    @Test func aKeyWithOtherContentThrowsATypedError() async throws {
        _ = try await send(Deposit(key: "1", amount: 5))

        let error = await #expect(throws: IdempotencyError.self) { try await send(Deposit(key: "1", amount: 6)) }

        #expect(error?.code == .differentCommand)
        #expect(error?.message.contains("Under the key '1'") == true)
        #expect(try await balance() == 5)
    }

    @Test func concurrentEqualKeysRunOnceAndShareTheOutcome() async throws {
        let outcomes = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { try await self.send(Deposit(key: "1", amount: 5)) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(outcomes == Array(repeating: 5, count: 100))
        #expect(runs.value == 1)
    }

    @Test func theSecondOfTwoProcessesReturnsTheFirstOutcome() async throws {
        // Two chains share no state, like two processes.
        let (store, delegator, runs) = (store, delegator, runs)
        let other = MiddlewareChain(middleware: [IdempotencyMiddleware(on: store, delegator: delegator)])
        let deposit = Deposit(key: "1", amount: 5)

        let outcome = try await other.run(deposit, kind: .command) { _ in
            runs.count()
            let first = try await Task.detached { try await self.send(deposit) }.value
            #expect(first == 5)
            return try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { context in
                context.insert(Balance("b"))
                return 99
            }
        }

        #expect(outcome == 5)
        #expect(runs.value == 2)
        #expect(try await EntityContext(store).find(Balance.self, id: "b") == nil)
    }

    @Test func aFailedCommandStoresNothingAndCanBeRepeated() async throws {
        await #expect(throws: Failure()) {
            try await chain.run(Deposit(key: "1", amount: 5), kind: .command) { _ in throw Failure() }
        }

        #expect(try await send(Deposit(key: "1", amount: 5)) == 5)
    }

    @Test func aTaskKeyAppliesToTheCommandButNotToNestedCommands() async throws {
        let chain = chain
        for _ in 1...2 {
            try await IdempotencyMiddleware.withKey("from outside") {
                try await chain.run(Unkeyed(), kind: .command) { _ in
                    runs.count()
                    for amount in 2...3 {
                        try await chain.run(Unkeyed(amount: amount), kind: .command) { _ in runs.count() }
                    }
                }
            }
        }

        #expect(runs.value == 3)
    }

    @Test func aRecursiveKeyThrowsATypedErrorWithoutWaiting() async throws {
        let chain = chain

        let error = await #expect(throws: IdempotencyError.self) {
            try await chain.run(Deposit(key: "1", amount: 5), kind: .command) { deposit in
                try await chain.run(deposit, kind: .command) { _ in }
            }
        }

        #expect(error?.code == .recursive)
    }

    @Test func aCommandWithinALargerUnitOfWorkTakesEffectOnce() async throws {
        let (store, delegator) = (store, delegator)
        try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { _ in
            for _ in 1...2 {
                let outcome = try await send(Deposit(key: "1", amount: 5))
                #expect(outcome == 5)
            }
            #expect(try await balance() == nil)
        }

        #expect(try await balance() == 5)
        #expect(runs.value == 1)
    }

    /// A store that checks the keys last, so it reports another conflict than a taken key.
    private final class LateKeys: StoreDecorator {
        let base: any DeliveryStore
        private let code: StoreError.Code

        init(_ base: any DeliveryStore, reporting code: StoreError.Code) {
            self.base = base
            self.code = code
        }

        func commit(_ changes: ChangeSet) async throws {
            do {
                try await base.commit(changes)
            } catch let error as StoreError where error.code == .keyTaken {
                throw StoreError(code: code, message: "conflict")
            }
        }
    }

    @Test(arguments: [StoreError.Code.versionConflict, .alreadyExists, .uniqueViolation, .unusable])
    func theSecondOfTwoProcessesReturnsTheFirstOutcomeAfterAnyError(code: StoreError.Code) async throws {
        let late = LateKeys(store, reporting: code)
        let other = MiddlewareChain(middleware: [IdempotencyMiddleware(on: late, delegator: delegator)])
        let deposit = Deposit(key: "1", amount: 5)

        let outcome = try await other.run(deposit, kind: .command) { _ in
            try await Task.detached { try await self.send(deposit) }.value + 94
        }

        #expect(outcome == 5)
    }

    @Test func aFailureWithinALargerUnitOfWorkIsNotRepeatedThere() async throws {
        let (store, delegator, chain, runs) = (store, delegator, chain, runs)
        let deposit = Deposit(key: "1", amount: 5)

        let error = await #expect(throws: UnitOfWorkError.self) {
            try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { _ in
                for _ in 1...2 {
                    await catching((any Error).self) {
                        try await chain.run(deposit, kind: .command) { _ in
                            runs.count()
                            try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute {
                                context in
                                let balance = try await context.find(Balance.self, id: "a") ?? Balance("a")
                                context.insert(balance)
                                balance.amount += deposit.amount
                            }
                            if runs.value == 1 { throw Failure() }
                        }
                    }
                }
            }
        }

        #expect(error?.code == .rollbackOnly)
        #expect(runs.value == 1)
        #expect(try await balance() == nil)
        #expect(try await send(deposit) == 5)
        #expect(try await balance() == 5)
    }

    @Test func aTakenKeyWithinALargerUnitOfWorkIsRetryable() async throws {
        let (store, delegator, runs) = (store, delegator, runs)
        let deposit = Deposit(key: "1", amount: 5)
        let other = MiddlewareChain(middleware: [IdempotencyMiddleware(on: store, delegator: delegator)])
        let outer = MiddlewareChain(middleware: [
            RetryMiddleware(backoff: Backoff(base: .zero), clock: TestClock()),
            UnitOfWorkMiddleware(on: store, delegator: delegator),
        ])

        let outcomes = try await outer.run(Unkeyed(), kind: .command) { _ in
            try await other.run(deposit, kind: .command) { _ -> Int in
                runs.count()
                _ = try await Task.detached { try await self.send(deposit) }.value
                // The handler sees the effect of the other process, and refuses to repeat it.
                throw Failure()
            }
        }

        #expect(outcomes == 5)
        #expect(runs.value == 2)
        #expect(try await balance() == 5)
    }

    @Test func aCommandOrOutcomeThatIsNotCodableIsRefusedBeforeHandling() async throws {
        struct Opaque: Sendable {}
        let chain = chain
        try await IdempotencyMiddleware.withKey("1") {
            for error in [
                await #expect(throws: IdempotencyError.self) {
                    try await chain.run(Opaque(), kind: .command) { _ in runs.count() }
                },
                await #expect(throws: IdempotencyError.self) {
                    try await chain.run(Unkeyed(), kind: .command) { _ in
                        runs.count()
                        return Opaque()
                    }
                },
            ] {
                #expect(error?.code == .notCodable)
            }
        }
        #expect(runs.value == 0)
    }

    @Test func optionalOutcomesSurviveARoundTrip() async throws {
        let chain = chain
        for expected in [nil, 7] as [Int?] {
            for _ in 1...2 {
                let outcome = try await IdempotencyMiddleware.withKey("\(String(describing: expected))") {
                    try await chain.run(Unkeyed(), kind: .command) { _ in
                        runs.count()
                        return expected
                    }
                }
                #expect(outcome == expected)
            }
        }
        #expect(runs.value == 2)
    }

    // MARK: Stored forms

    private static let depositOfFive = Data(
        #"{"content":{"amount":5,"key":"1"},"type":"HeadraceRelayTests.IdempotencyMiddlewareTests.Deposit"}"#.utf8
    )

    private func store(outcome: String) async throws {
        var changes = ChangeSet()
        changes.idempotencyRecords = [
            IdempotencyRecord(key: "1", command: Self.depositOfFive, outcome: Data(outcome.utf8), date: Date())
        ]
        try await store.commit(changes)
    }

    @Test func theStoredFormOfACommandAndItsResultDoesNotChange() async throws {
        _ = try await send(Deposit(key: "1", amount: 5))
        let result = try #require(try await store.idempotencyRecord(for: "1"))
        try await chain.run(Deposit(key: "2", amount: 5), kind: .command) { _ in }
        let nothing = try #require(try await store.idempotencyRecord(for: "2"))

        #expect(String(decoding: result.command, as: UTF8.self) == String(decoding: Self.depositOfFive, as: UTF8.self))
        #expect(String(decoding: result.outcome, as: UTF8.self) == "[5]")
        #expect(String(decoding: nothing.outcome, as: UTF8.self) == "{}")
    }

    @Test func aStoredResultIsReturnedWithoutTheHandler() async throws {
        try await store(outcome: "[7]")

        #expect(try await send(Deposit(key: "1", amount: 5)) == 7)
        #expect(runs.value == 0)
    }

    @Test func aCommandThatHasLostItsResultReadsTheRecordOfBefore() async throws {
        try await store(outcome: "[7]")

        try await chain.run(Deposit(key: "1", amount: 5), kind: .command) { _ in runs.count() }

        #expect(runs.value == 0)
    }

    @Test func aCommandThatHasGainedAResultReadsAnEmptyRecordAsThatType() async throws {
        struct Receipt: Codable, Equatable {
            var number: Int?
        }
        try await store(outcome: "{}")

        let receipt = try await chain.run(Deposit(key: "1", amount: 5), kind: .command) { _ in
            runs.count()
            return Receipt(number: 9)
        }

        #expect(receipt == Receipt())
        #expect(runs.value == 0)
    }

    @Test(arguments: ["{}", #"["five"]"#, "[]"]) func aStoredResultOfAnotherTypeThrowsATypedError(stored: String)
        async throws
    {
        try await store(outcome: stored)

        let error = await #expect(throws: IdempotencyError.self) { try await send(Deposit(key: "1", amount: 5)) }

        #expect(error?.code == .undecodableOutcome)
        #expect(runs.value == 0)
    }

    // MARK: Durable commands of other versions

    private struct Remind: DurableCommand {
        static let commandName = "remind"
        static let commandVersion = 3
        static let commandMigrations = [JSONMigration(from: 2) { $0["body"] = $0.removeValue(forKey: "text") }]
        var body: String
    }

    /// Sends `command` with a key under which a command with `content` and `version` has taken effect.
    private nonisolated(nonsending) func send(_ command: Remind, after version: Int, _ content: String) async throws {
        let type = "HeadraceRelayTests.IdempotencyMiddlewareTests.Remind"
        var changes = ChangeSet()
        changes.idempotencyRecords = [
            IdempotencyRecord(
                key: "1",
                command: Data(#"{"content":\#(content),"type":"\#(type)","version":\#(version)}"#.utf8),
                outcome: Data("{}".utf8),
                date: Date()
            )
        ]
        try await store.commit(changes)
        let (chain, runs) = (chain, runs)
        try await IdempotencyMiddleware.withKey("1") {
            try await chain.run(command, kind: .command) { _ in runs.count() }
        }
    }

    @Test(arguments: [(3, #"{"body":"x"}"#), (2, #"{"text":"x"}"#)])
    func aDurableCommandIsKnownAlsoInItsFormOfAnEarlierVersion(version: Int, content: String) async throws {
        try await send(Remind(body: "x"), after: version, content)

        #expect(runs.value == 0)
    }

    @Test(arguments: [(3, #"{"body":"y"}"#), (2, #"{"text":"y"}"#), (1, #"{"text":"x"}"#), (4, #"{"body":"x"}"#)])
    func aDurableCommandWithOtherContentOrAnUnknownVersionIsAnother(version: Int, content: String) async throws {
        let error = await #expect(throws: IdempotencyError.self) {
            try await send(Remind(body: "x"), after: version, content)
        }

        #expect(error?.code == .differentCommand)
        #expect(runs.value == 0)
    }

    @Test func queriesPassThrough() async throws {
        for _ in 1...2 {
            try await chain.run(Deposit(key: "1", amount: 5), kind: .query) { _ in runs.count() }
        }

        #expect(runs.value == 2)
    }
}

/// A counter for concurrent use.
final class Counter: Sendable {
    private let number = Mutex(0)
    var value: Int { number.withLock(\.self) }
    func count() { number.withLock { $0 += 1 } }
}
