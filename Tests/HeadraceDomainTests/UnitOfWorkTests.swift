// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct UnitOfWorkTests {
    private let store: SpyStore

    init() throws {
        store = try SpyStore()
    }

    private func unitOfWork(on context: EntityContext? = nil) -> UnitOfWork<EntityContext> {
        UnitOfWork(delegator: RecordingDelegator(), context: context ?? EntityContext(store))
    }

    @Test func changesAreStoredWithoutASaveCall() async throws {
        try await store.store(Customer("a"))

        try await unitOfWork().execute { context in
            try await context.find(Customer.self, id: "a")?.age = 42
        }

        #expect(try await EntityContext(store).find(Customer.self, id: "a")?.age == 42)
        #expect(try await store.version(of: "a") == 2)
    }

    @Test func anEntityThatIsChangedAndChangedBackIsNotWritten() async throws {
        try await store.store(Customer("a", age: 1))

        try await unitOfWork().execute { context in
            let customer = try #require(try await context.find(Customer.self, id: "a"))
            customer.age = 2
            customer.age = 1
        }

        #expect(store.commits.isEmpty)
    }

    /// A context searches few entities, and hashes the references of many.
    @Test(arguments: [1, 8, 9, 30])
    func eachOfSeveralEntitiesIsOneObject(count: Int) async throws {
        try await unitOfWork().execute { context in
            for id in 0..<count { context.insert(Order(id)) }
        }

        try await unitOfWork().execute { context in
            var found: [Order] = []
            for id in 0..<count { found.append(try #require(try await context.find(Order.self, id: id))) }
            for order in found { #expect(try await context.find(Order.self, id: order.id) === order) }

            context.delete(found[0])
            #expect(try await context.find(Order.self, id: 0) == nil)
            let again = Order(0)
            context.insert(again)
            #expect(try await context.find(Order.self, id: 0) === again)
            if count > 1 { context.delete(found[1]) }
        }

        #expect(store.commits.count == (count > 1 ? 2 : 1))
        #expect(try await EntityContext(store).fetch(Order.self).count == max(1, count - 1))
    }

    @Test func withoutChangesTheStoreIsNotCalled() async throws {
        try await store.store(Customer("a"))

        try await unitOfWork().execute { context in
            let customer = try #require(try await context.find(Customer.self, id: "a"))
            customer.raiseEvent(Noted("not durable"))
            _ = try await context.fetch(Customer.self)
            let passing = Customer("passing")
            context.insert(passing)
            context.delete(passing)
        }

        #expect(store.commits.isEmpty)
    }

    @Test func aStaleVersionIsAConflictThatNamesEntityAndVersions() async throws {
        try await store.store(Customer("a"))
        let store = store

        let error = await #expect(throws: StoreError.self) {
            try await unitOfWork().execute { context in
                let customer = try #require(try await context.find(Customer.self, id: "a"))
                customer.age = 1
                let other = EntityContext(store)
                try await other.find(Customer.self, id: "a")?.age = 2
                try await other.commit([])
            }
        }

        #expect(error?.code == .versionConflict)
        #expect(error?.entity == EntityReference(kind: "customer", key: "a"))
        #expect(
            error?.message == """
                The customer 'a' was read at version 1 and is now at version 2. Nothing was stored. \
                To fix, repeat the work with the stored state.
                """
        )
        #expect(try await EntityContext(store).find(Customer.self, id: "a")?.age == 2)
    }

    @Test func theResultMayBeNonSendable() async throws {
        final class Box {
            var value = 1
        }

        let box = try await unitOfWork().execute { _ in Box() }

        #expect(box.value == 1)
    }

    @Test @MainActor func everythingRunsOnTheCallersActor() async throws {
        try await store.store(Customer("a"))
        let delegator = ScriptedDelegator { _, context in
            #expect(#isolation === MainActor.shared)
            _ = try await context.find(Customer.self, id: "a")
            #expect(#isolation === MainActor.shared)
            MainActor.preconditionIsolated()
        }
        var isDone = false

        try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { context in
            MainActor.preconditionIsolated()
            try await context.find(Customer.self, id: "a")?.raiseEvent(Noted("hello"))
            MainActor.preconditionIsolated()
            isDone = true
        }

        #expect(isDone)
        #expect(delegator.handled == ["before hello", "after hello"])
    }

    @Test func cancellationBeforeTheCommitRollsBack() async throws {
        let store = store
        let delegator = RecordingDelegator()

        let task = Task {
            try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { context in
                let customer = Customer("a")
                context.insert(customer)
                customer.raiseEvent(Renamed(name: "Ada"))
                cancelCurrentTask()
            }
        }

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(store.commits.isEmpty)
        #expect(delegator.eventsAfterCommit.isEmpty)
    }

    @Test func aContextMayBeUsedForOneUnitOfWorkAfterAnother() async throws {
        let context = EntityContext(store)
        let unitOfWork = unitOfWork(on: context)

        let first = try await unitOfWork.execute { context in
            let customer = Customer("a")
            context.insert(customer)
            return customer
        }
        let second = try await unitOfWork.execute { try await $0.find(Customer.self, id: "a") }

        #expect(second != nil)
        #expect(second !== first)
    }
}
