// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import HeadraceCore
import HeadraceDomain
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

/// Tests which units of work join a running unit of work.
@Suite(.timeLimit(.minutes(2))) struct UnitOfWorkNestingTests {
    private let store: SpyStore
    private let other: SpyStore
    private let delegator = RecordingDelegator()

    init() throws {
        store = try SpyStore()
        other = try SpyStore()
    }

    @Test(arguments: [true, false])
    func aNestedUnitOfWorkOnTheSameStoreJoins(isSameContext: Bool) async throws {
        let context = EntityContext(store)
        let inner = isSameContext ? context : EntityContext(store)

        try await UnitOfWork(delegator: delegator, context: context).execute { outerContext in
            let isJoined = try await UnitOfWork(delegator: delegator, context: inner).execute { innerContext in
                let customer = Customer("a")
                innerContext.insert(customer)
                customer.raiseEvent(Noted("inner"))
                return innerContext === outerContext
            }
            #expect(isJoined)
            #expect(store.commits.isEmpty)
            #expect(delegator.eventsBeforeCommit.isEmpty)
            outerContext.insert(Customer("b"))
        }

        #expect(store.commits.map(\.writes.count) == [2])
        #expect(delegator.eventsAfterCommit.texts == ["inner"])
    }

    @Test func aUnitOfWorkThatJoinsMakesNoContext() async throws {
        let made = Mutex(0)
        let store = store
        let unitOfWork = UnitOfWork(delegator: delegator, joinIdentity: ObjectIdentifier(store)) {
            made.withLock { $0 += 1 }
            return EntityContext(store)
        }

        try await unitOfWork.execute { outer in
            try await unitOfWork.execute { #expect($0 === outer) }
            try await UnitOfWork(on: store, delegator: delegator).execute { #expect($0 === outer) }
        }
        #expect(made.withLock(\.self) == 1)
        try await unitOfWork.execute { $0.insert(Customer("a")) }

        #expect(made.withLock(\.self) == 2)
        #expect(store.commits.map(\.writes.count) == [1])
    }

    @Test func aUnitOfWorkInAPreCommitHandlerJoins() async throws {
        let store = store
        let inner = delegator
        let delegator = ScriptedDelegator { _, context in
            try await UnitOfWork(delegator: inner, context: EntityContext(store)).execute { joined in
                #expect(joined === context)
                joined.insert(Customer("b"))
            }
        }

        try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { context in
            let customer = Customer("a")
            context.insert(customer)
            customer.raiseEvent(Noted("outer"))
        }

        #expect(store.commits.map(\.writes.count) == [2])
    }

    @Test func aNestedFailureRollsTheOuterUnitOfWorkBack() async throws {
        await #expect(throws: Failure()) {
            try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { outer in
                outer.insert(Customer("a"))
                try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { inner in
                    inner.insert(Customer("b"))
                    throw Failure()
                }
            }
        }

        #expect(store.commits.isEmpty)
    }

    @Test func afterACaughtNestedFailureTheOuterUnitOfWorkCanOnlyRollBack() async throws {
        let context = EntityContext(store)
        let unitOfWork = UnitOfWork(delegator: delegator, context: context)

        let error = await #expect(throws: UnitOfWorkError.self) {
            try await unitOfWork.execute { outer in
                outer.insert(Customer("a"))
                await catching(Failure.self) {
                    try await unitOfWork.execute { inner in
                        let customer = Customer("b")
                        inner.insert(customer)
                        customer.raiseEvent(Noted("inner"))
                        throw Failure()
                    }
                }
                outer.insert(Customer("c"))
            }
        }

        #expect(error?.code == .rollbackOnly)
        #expect(error?.cause as? Failure == Failure())
        #expect(
            error?.message == """
                A nested unit of work has failed, and its error was caught: Failure(text: "failed"). Nothing was stored, \
                because the changes of the nested unit of work can't be separated from the others. To fix, let the error end \
                the outer unit of work, too, or execute the nested unit of work outside of it.
                """
        )
        #expect(store.commits.isEmpty)
        #expect(delegator.eventsBeforeCommit.isEmpty)

        try await unitOfWork.execute { $0.insert(Customer("a")) }
        #expect(store.commits.map(\.writes.count) == [1])
    }

    @Test func afterANestedFailureNoUnitOfWorkJoins() async throws {
        let unitOfWork = UnitOfWork(delegator: delegator, context: EntityContext(store))
        var runs = 0

        let error = await #expect(throws: UnitOfWorkError.self) {
            try await unitOfWork.execute { _ in
                await catching(Failure.self) { try await unitOfWork.execute { _ in throw Failure() } }
                try await unitOfWork.execute { _ in runs += 1 }
            }
        }

        #expect(error?.code == .rollbackOnly)
        #expect(runs == 0)
    }

    @Test func aFailureTwoLevelsDeepThatIsCaughtBetweenCausesARollback() async throws {
        let unitOfWork = UnitOfWork(delegator: delegator, context: EntityContext(store))

        let error = await #expect(throws: UnitOfWorkError.self) {
            try await unitOfWork.execute { _ in
                try await unitOfWork.execute { middle in
                    middle.insert(Customer("a"))
                    await catching(Failure.self) { try await unitOfWork.execute { _ in throw Failure() } }
                }
            }
        }

        #expect(error?.code == .rollbackOnly)
        #expect(store.commits.isEmpty)
    }

    @Test func aNestedFailureThatAPreCommitHandlerCatchesCausesARollback() async throws {
        let (store, inner) = (store, delegator)
        let delegator = ScriptedDelegator { _, _ in
            await catching(Failure.self) {
                try await UnitOfWork(delegator: inner, context: EntityContext(store)).execute { context in
                    context.insert(Customer("b"))
                    throw Failure()
                }
            }
        }

        let error = await #expect(throws: UnitOfWorkError.self) {
            try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { context in
                let customer = Customer("a")
                context.insert(customer)
                customer.raiseEvent(Noted("outer"))
            }
        }

        #expect(error?.code == .rollbackOnly)
        #expect(store.commits.isEmpty)
    }

    @Test(arguments: [StoreError.Code.versionConflict, .full])
    func rollbackOnlyIsRetryableIfItsCauseIs(code: StoreError.Code) async throws {
        let unitOfWork = UnitOfWork(delegator: delegator, context: EntityContext(store))

        let error = await #expect(throws: UnitOfWorkError.self) {
            try await unitOfWork.execute { _ in
                await catching(StoreError.self) {
                    try await unitOfWork.execute { _ in throw StoreError(code: code, message: "inner") }
                }
            }
        }

        #expect(error?.isRetryable == (code == .versionConflict))
    }

    @Test func rollbackOnlyHasTheEarliestRetryOfItsCause() async throws {
        let unitOfWork = UnitOfWork(delegator: delegator, context: EntityContext(store))
        let busy = Busy(earliestRetry: ContinuousClock.now.advanced(by: .seconds(90)))

        let error = await #expect(throws: UnitOfWorkError.self) {
            try await unitOfWork.execute { _ in
                await catching(Busy.self) {
                    try await unitOfWork.execute { _ in throw busy }
                }
            }
        }

        #expect(error?.isRetryable == true)
        #expect(error?.earliestRetry == busy.earliestRetry)
    }

    @Test func aFailureOnAnotherStoreOrInAnotherTaskCanBeCaught() async throws {
        let (store, delegator) = (store, delegator)

        try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { outer in
            outer.insert(Customer("a"))
            await catching(Failure.self) {
                try await UnitOfWork(delegator: delegator, context: EntityContext(other)).execute { _ in throw Failure()
                }
            }
            await catching(Failure.self) {
                try await Task {
                    try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { _ in
                        throw Failure()
                    }
                }.value
            }
        }

        #expect(store.commits.map(\.writes.count) == [1])
    }

    @Test func aUnitOfWorkOnAnotherStoreCommitsSeparately() async throws {
        await #expect(throws: Failure()) {
            try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { outer in
                outer.insert(Customer("a"))
                try await UnitOfWork(delegator: delegator, context: EntityContext(other)).execute { inner in
                    #expect(inner !== outer)
                    inner.insert(Customer("b"))
                }
                #expect(other.commits.count == 1)
                throw Failure()
            }
        }

        #expect(store.commits.isEmpty)
    }

    @Test func aUnitOfWorkJoinsAcrossAUnitOfWorkOnAnotherStore() async throws {
        try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { outer in
            outer.insert(Customer("a"))
            try await UnitOfWork(delegator: delegator, context: EntityContext(other)).execute { _ in
                try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { inner in
                    #expect(inner === outer)
                    inner.insert(Customer("b"))
                }
            }
            #expect(store.commits.isEmpty)
        }

        #expect(store.commits.map(\.writes.count) == [2])
    }

    @Test func aChildTaskDoesNotJoin() async throws {
        let store = store
        let delegator = delegator

        await #expect(throws: Failure()) {
            try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { outer in
                outer.insert(Customer("a"))
                let outerIdentity = ObjectIdentifier(outer)
                try await withThrowingTaskGroup { group in
                    group.addTask {
                        try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { inner in
                            #expect(ObjectIdentifier(inner) != outerIdentity)
                            inner.insert(Customer("b"))
                        }
                    }
                    try await group.waitForAll()
                }
                try await Task {
                    try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { inner in
                        #expect(ObjectIdentifier(inner) != outerIdentity)
                        inner.insert(Customer("c"))
                    }
                }.value
                throw Failure()
            }
        }

        #expect(store.commits.count == 2)
        #expect(try await store.version(of: "a") == nil)
        #expect(try await store.version(of: "b") == 1)
        #expect(try await store.version(of: "c") == 1)
    }

    @Test func consecutiveUnitsOfWorkCommitSeparately() async throws {
        let unitOfWork = UnitOfWork(delegator: delegator, context: EntityContext(store))

        for id in ["a", "b"] {
            try await unitOfWork.execute { $0.insert(Customer(id)) }
        }

        #expect(store.commits.count == 2)
    }

    @Test func aUnitOfWorkInAPostCommitHandlerCommitsSeparately() async throws {
        let services = ServiceLocator()
        services.register(store)
        services.register(RecordingDelegator())
        let registrar = DomainEventHandlerRegistrar(resolver: services)
        registrar.register(InsertAfterwards.self)

        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            let customer = Customer("a")
            context.insert(customer)
            customer.raiseEvent(Noted("b"))
        }

        #expect(store.commits.count == 2)
        #expect(try await store.version(of: "b") == 1)
    }
}

/// Inserts a customer, named by the note, in a separate unit of work.
private struct InsertAfterwards: DomainEventHandler {
    static let isPostCommit = true

    static func handle(event: Noted, resolver: any DependencyResolver) async throws {
        let store = resolver.resolve(SpyStore.self)
        let delegator = resolver.resolve(RecordingDelegator.self)
        try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { context in
            context.insert(Customer(event.text))
        }
    }
}

/// An error with an earliest time for a retry.
private struct Busy: Error, RetryableError {
    let isRetryable = true
    let earliestRetry: ContinuousClock.Instant?
}
