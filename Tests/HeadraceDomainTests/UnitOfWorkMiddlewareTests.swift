// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Testing

/// A unit of work per command, alone and with retry and timeout around and within it.
@Suite(.timeLimit(.minutes(2))) struct UnitOfWorkMiddlewareTests {
    private let store: SpyStore
    private let delegator = RecordingDelegator()
    private let clock = TestClock()
    private let unitOfWork: UnitOfWorkMiddleware<EntityContext>

    init() throws {
        store = try SpyStore()
        unitOfWork = UnitOfWorkMiddleware(on: store, delegator: delegator)
    }

    private func chain(_ middleware: any Middleware...) -> MiddlewareChain {
        MiddlewareChain(middleware: middleware, clock: clock)
    }

    private var retry: RetryMiddleware { RetryMiddleware(backoff: Backoff(base: .zero), clock: clock) }

    /// Inserts a customer in a nested unit of work, as a handler does.
    private nonisolated(nonsending) func insert(_ id: String) async throws {
        try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { context in
            let customer = Customer(id)
            context.insert(customer)
            customer.raiseEvent(Noted(id))
        }
    }

    @Test func validationReportsARetryWithinAUnitOfWork() {
        #expect(
            RetryMiddleware.conflict(withOuter: [UnitOfWorkMiddleware<EntityContext>.self])
                == UnitOfWorkMiddleware<EntityContext>.self
        )
        #expect(RetryMiddleware.conflict(withOuter: [TimeoutMiddleware.self]) == nil)
    }

    @Test func aHandlersUnitsOfWorkJoinIntoOneCommit() async throws {
        try await chain(unitOfWork).run(Add(), kind: .command) { _ in
            try await insert("a")
            try await insert("b")
            #expect(store.commits.isEmpty)
            #expect(delegator.eventsBeforeCommit.isEmpty)
        }

        #expect(store.commits.map(\.writes.count) == [2])
        #expect(delegator.eventsAfterCommit.texts == ["a", "b"])
    }

    @Test func aFailureRollsEverythingBackAndIsThrownUnwrapped() async throws {
        await #expect(throws: Failure()) {
            try await chain(unitOfWork).run(Add(), kind: .command) { _ in
                try await insert("a")
                throw Failure()
            }
        }

        #expect(store.commits.isEmpty)
        #expect(delegator.eventsBeforeCommit.isEmpty)
    }

    @Test(arguments: [MessageKind.query, .event, .action, .effect])
    func otherMessagesPassThrough(kind: MessageKind) async throws {
        try await chain(unitOfWork).run(Add(), kind: kind) { _ in
            try await insert("a")
            #expect(store.commits.count == 1)
            try await insert("b")
        }

        #expect(store.commits.count == 2)
    }

    @Test func aCommandSentByAHandlerJoins() async throws {
        let chain = chain(unitOfWork)

        try await chain.run(Add(), kind: .command) { _ in
            try await chain.run(Add(), kind: .command) { _ in try await insert("a") }
            #expect(store.commits.isEmpty)
            try await insert("b")
        }

        #expect(store.commits.map(\.writes.count) == [2])
    }

    @Test func anOuterRetryRepeatsTheUnitOfWorkAfterAConflict() async throws {
        try await store.store(Customer("a", age: 1))
        var attempts = 0

        try await chain(retry, unitOfWork).run(Add(), kind: .command) { _ in
            attempts += 1
            try await insert("b")
            try await change("a", conflicting: attempts == 1)
        }

        #expect(attempts == 2)
        #expect(try await store.version(of: "a") == 3)
        #expect(try await store.version(of: "b") == 1)
    }

    @Test func anInnerRetryRepeatsNothing() async throws {
        var attempts = 0

        let error = await #expect(throws: StoreError.self) {
            try await chain(unitOfWork, retry).run(Add(), kind: .command) { _ in
                attempts += 1
                try await insert("a")
                throw StoreError(code: .locked, message: "locked")
            }
        }

        #expect(error?.code == .locked)
        #expect(attempts == 1)
        #expect(store.commits.isEmpty)
    }

    @Test func aRetryOfANestedCommandIsLeftToTheOuterCommand() async throws {
        let chain = chain(retry, unitOfWork)
        var (outer, inner) = (0, 0)

        try await chain.run(Add(), kind: .command) { _ in
            outer += 1
            try await chain.run(Add(), kind: .command) { _ in
                inner += 1
                try await insert("a")
                if inner == 1 { throw StoreError(code: .locked, message: "locked") }
            }
        }

        #expect((outer, inner) == (2, 2))
        #expect(store.commits.map(\.writes.count) == [1])
    }

    @Test func aCaughtFailureOfANestedCommandStoresNothing() async throws {
        let chain = chain(unitOfWork)

        let error = await #expect(throws: UnitOfWorkError.self) {
            try await chain.run(Add(), kind: .command) { _ in
                await catching(Failure.self) {
                    try await chain.run(Add(), kind: .command) { _ in
                        try await insert("a")
                        throw Failure()
                    }
                }
            }
        }

        #expect(error?.code == .rollbackOnly)
        #expect(store.commits.isEmpty)
    }

    @Test func aRetryRepeatsACommandAfterACaughtNestedFailure() async throws {
        let chain = chain(retry, unitOfWork)
        var (outer, inner) = (0, 0)

        try await chain.run(Add(), kind: .command) { _ in
            outer += 1
            do {
                try await chain.run(Add(), kind: .command) { _ in
                    inner += 1
                    try await insert("a")
                    if inner == 1 { throw StoreError(code: .locked, message: "locked") }
                }
            } catch is StoreError {}
        }

        #expect((outer, inner) == (2, 2))
        #expect(store.commits.map(\.writes.count) == [1])
    }

    @Test func aRetryAfterAConcurrentInsertFindsTheEntity() async throws {
        let (store, other) = (store, EntityContext(store))
        var attempts = 0

        try await chain(retry, unitOfWork).run(Add(), kind: .command) { _ in
            attempts += 1
            try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { context in
                let customer = try await context.find(Customer.self, id: "a") ?? Customer("a", age: 0)
                context.insert(customer)
                customer.age = (customer.age ?? 0) + 1
            }
            if attempts == 1 {
                other.insert(Customer("a", age: 10))
                try await other.commit([])
            }
        }

        #expect(attempts == 2)
        #expect(try await EntityContext(store).find(Customer.self, id: "a")?.age == 11)
    }

    @Test func workWithinAnInnerTimeoutJoins() async throws {
        let timeout = TimeoutMiddleware(.seconds(5), clock: clock)

        try await chain(unitOfWork, timeout).run(Add(), kind: .command) { _ in
            try await insert("a")
            try await chain(timeout, timeout).run(Add(), kind: .command) { _ in try await insert("b") }
            #expect(store.commits.isEmpty)
        }

        #expect(store.commits.map(\.writes.count) == [2])
    }

    @Test func aChildTaskWithinATimeoutDoesNotJoin() async throws {
        let (store, delegator) = (store, delegator)
        let timeout = TimeoutMiddleware(.seconds(5), clock: clock)

        try await chain(unitOfWork, timeout).run(Add(), kind: .command) { _ in
            try await insert("a")
            async let other: Void = UnitOfWork(delegator: delegator, context: EntityContext(store)).execute {
                $0.insert(Customer("b"))
            }
            try await other
            #expect(store.commits.count == 1)
        }

        #expect(store.commits.count == 2)
    }

    @Test(arguments: [true, false])
    func aTimeoutStoresNothing(isAround: Bool) async throws {
        let timeout = TimeoutMiddleware(.seconds(5), clock: clock)
        let chain = isAround ? chain(timeout, unitOfWork) : chain(unitOfWork, timeout)
        let (store, delegator) = (store, delegator)
        let task = Task {
            try await chain.run(Add(), kind: .command) { _ in
                try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute {
                    $0.insert(Customer("a"))
                }
                // Ends when it is cancelled, and hides the cancellation: the unit of work must not commit then.
                try? await TestClock().sleep(for: .seconds(1))
            }
        }
        await clock.waitForSleepers(1)

        clock.advance(by: .seconds(5))

        let error = try await #require(throws: TimeoutError.self) { try await task.value }
        #expect(error.code == (isAround ? .timedOut : .finishedLate))
        #expect(store.commits.isEmpty)
    }

    @Test(arguments: [
        (StoreError.Code.versionConflict, true), (.locked, true), (.alreadyExists, false), (.uniqueViolation, false),
        (.full, false), (.corrupt, false), (.unusable, false), (.unreachable, true), (.outcomeUnknown, false),
        (.tooLong, false),
    ])
    func aStoreErrorSaysWhetherItMayBeRetried(code: StoreError.Code, isRetryable: Bool) {
        let error = StoreError(code: code, message: "")

        #expect(error.isRetryable == isRetryable)
        #expect(error.codeName == code.description)
    }

    @Test @MainActor func theHandlerStaysOnTheCallersActorWithNonSendableValues() async throws {
        let customer = Customer("a")

        let timeout = TimeoutMiddleware(.seconds(5), clock: clock)
        let returned = try await chain(OnMainActor(), timeout, OnMainActor(), unitOfWork, OnMainActor())
            .run(Add(), kind: .command) { _ in
                MainActor.assertIsolated()
                return customer
            }

        #expect(returned === customer)
    }

    /// Changes a customer, possibly after another writer has changed it.
    private nonisolated(nonsending) func change(_ id: String, conflicting isConflicting: Bool) async throws {
        try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { context in
            let customer = try #require(try await context.find(Customer.self, id: id))
            customer.age = 42
        }
        if isConflicting {
            let other = EntityContext(store)
            try await other.find(Customer.self, id: id)?.age = 7
            try await other.commit([])
        }
    }
}

private struct Add: Sendable {}

/// Checks that the middleware stays on the main actor.
private struct OnMainActor: Middleware {
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        MainActor.assertIsolated()
        defer { MainActor.assertIsolated() }
        return try await next(message)
    }
}
