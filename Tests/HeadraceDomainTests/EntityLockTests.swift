// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

/// Units of work that lock entities, in one process.
@Suite(.timeLimit(.minutes(1))) struct EntityLockTests {
    private final class Decorator: StoreDecorator {
        let base: any DeliveryStore

        init(_ base: any DeliveryStore) {
            self.base = base
        }
    }

    private let store: InMemoryStore
    private let unitOfWork: UnitOfWork<EntityContext>

    init() async throws {
        let store = try InMemoryStore(entities: [Customer.self])
        self.store = store
        unitOfWork = UnitOfWork(on: store, delegator: RecordingDelegator())
        try await unitOfWork.execute { context in
            for id in ["a", "b"] { context.insert(Customer(id, age: 0)) }
        }
    }

    private func age(of id: String) async throws -> Int? {
        try await EntityContext(store).find(Customer.self, id: id)?.age
    }

    @Test func anEntityIsReadWhenItIsLockedAlsoThroughADecorator() async throws {
        let (store, executor, gate) = (store, TestExecutor(seed: nil), Gate())
        let holder = Task(executorPreference: executor) {
            try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute { context in
                let customer = try await context.find(Customer.self, id: "a", for: .update)
                await gate.pass()
                customer?.age = 41
            }
        }
        await executor.idle()
        let waiter = Task(executorPreference: executor) {
            try await UnitOfWork(on: Decorator(Decorator(store)), delegator: RecordingDelegator()).execute { context in
                try await context.find(Customer.self, ids: ["b", "a"], for: .update).last?.age? += 1
            }
        }
        await executor.idle()
        gate.open()
        try await holder.value
        try await waiter.value

        #expect(try await age(of: "a") == 42)
    }

    @Test func waitersContinueInTheOrderInWhichTheHolderHasLockedTheirEntities() async throws {
        let (store, executor, gate) = (store, TestExecutor(seed: nil), Gate())
        let order = LockOrder()
        let ids = (10..<50).map { "\($0)" }
        let holder = Task(executorPreference: executor) {
            try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute { context in
                _ = try await context.find(Customer.self, ids: ids, for: .update)
                await gate.pass()
            }
        }
        await executor.idle()
        var waiters: [Task<Void, any Error>] = []
        for id in ids.reversed() {
            let waiter = Task(executorPreference: executor) {
                try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute { context in
                    _ = try await context.find(Customer.self, id: id, for: .update)
                    order.ids.withLock { $0.append(id) }
                }
            }
            waiters.append(waiter)
        }
        await executor.idle()
        gate.open()
        try await holder.value
        for waiter in waiters { try await waiter.value }

        #expect(order.ids.withLock(\.self) == ids)
    }

    @Test func aUnitOfWorkInAChildTaskIsRefusedTheLockOfItsParent() async throws {
        let store = store
        let error = await #expect(throws: StoreError.self) {
            try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute { context in
                _ = try await context.find(Customer.self, id: "a", for: .update)
                async let child: Void = UnitOfWork(on: store, delegator: RecordingDelegator()).execute { context in
                    try await context.find(Customer.self, id: "a", for: .update)?.age = 1
                }
                try await child
            }
        }

        #expect(error?.code == .locked)
        #expect(error?.isConflict == true)
        #expect(error?.entity == EntityReference(kind: "customer", key: "a"))
        #expect(
            error?.message == """
                The customer 'a' can't be locked: the unit of work that has locked it waits for this unit of work, or encloses \
                it. Nothing was stored. To fix, repeat the work, and lock several entities in the order of their keys, the \
                entities of an enclosing unit of work first.
                """
        )
        #expect(try await age(of: "a") == 0)
    }

    @Test func aUnitOfWorkOnADecoratorIsRefusedTheLockOfAUnitOfWorkAroundIt() async throws {
        let store = store
        let error = await #expect(throws: StoreError.self) {
            try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute { context in
                _ = try await context.find(Customer.self, id: "a", for: .update)
                try await UnitOfWork(on: Decorator(store), delegator: RecordingDelegator()).execute { context in
                    _ = try await context.find(Customer.self, id: "a", for: .update)
                }
            }
        }

        #expect(error?.code == .locked)
    }

    @Test func aCancelledWaiterThrowsAndDelaysNoOther() async throws {
        let (store, executor, gate) = (store, TestExecutor(seed: nil), Gate())
        let tasks = (0..<3).map { number in
            Task(executorPreference: executor) {
                try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute { context in
                    let customer = try await context.find(Customer.self, id: "a", for: .update)
                    if number == 0 { await gate.pass() }
                    customer?.age? += 1
                }
            }
        }
        await executor.idle()

        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        gate.open()
        try await tasks[0].value
        try await tasks[2].value

        #expect(try await age(of: "a") == 2)
    }

    @Test func entitiesThatAreLockedTogetherAreLockedInTheOrderOfTheirKeys() async throws {
        let store = store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<32 {
                group.addTask {
                    try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute { context in
                        let ids = number % 2 == 0 ? ["a", "b"] : ["b", "a"]
                        for customer in try await context.find(Customer.self, ids: ids, for: .update) {
                            customer.age? += 1
                        }
                    }
                }
            }
            try await group.waitForAll()
        }

        #expect(try await age(of: "a") == 32)
        #expect(try await age(of: "b") == 32)
    }

    @Test func aContextWithoutAUnitOfWorkHoldsItsLocksUntilItIsReleasedCommittedOrRolledBack() async throws {
        for end in 0..<3 {
            let context = EntityContext(store)
            _ = try await context.find(Customer.self, id: "a", for: .update)
            switch end {
            case 0: try await context.commit([])
            case 1: context.rollback()
            default: _ = consume context
            }
            try await unitOfWork.execute { try await $0.find(Customer.self, id: "a", for: .update)?.age? += 1 }
        }

        #expect(try await age(of: "a") == 3)
    }

    @Test func aReadOnlyContextLocksNothing() async throws {
        let error = await #expect(throws: StoreError.self) {
            try await store.read { context in
                _ = try await context.find(Customer.self, id: "a", for: .update)
            }
        }

        #expect(error?.code == .readOnly)
    }

    @Test func anIdentifierIsLockedBeforeItsEntityIsInserted() async throws {
        let store = store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute { context in
                        let customer =
                            try await context.find(Customer.self, id: "new", for: .update) ?? Customer("new", age: 0)
                        context.insert(customer)
                        customer.age? += 1
                    }
                }
            }
            try await group.waitForAll()
        }

        #expect(try await age(of: "new") == 8)
    }
}

private final class LockOrder: Sendable {
    let ids = Mutex<[String]>([])
}
