// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Testing

/// Entities that the program holds after their unit of work was rolled back.
@Suite struct RolledBackEntityTests {
    private let store: SpyStore
    private let context: EntityContext
    private let unitOfWork: UnitOfWork<EntityContext>

    init() async throws {
        store = try SpyStore()
        try await store.store(Customer("a", age: 1), Customer("b"))
        context = EntityContext(store)
        unitOfWork = UnitOfWork(delegator: RecordingDelegator(), context: context)
    }

    /// Returns the customer `a` as found by a unit of work that was rolled back.
    private nonisolated(nonsending) func rolledBackCustomer(
        _ change: (Customer) -> Void = { $0.age = 2 }
    ) async throws -> Customer {
        var found: Customer?
        await #expect(throws: Failure()) {
            try await unitOfWork.execute { context in
                let customer = try #require(try await context.find(Customer.self, id: "a"))
                change(customer)
                found = customer
                throw Failure()
            }
        }
        return try #require(found)
    }

    @Test func aChangeInALaterUnitOfWorkIsReported() async throws {
        let customer = try await rolledBackCustomer()

        for _ in 1...2 {
            let error = await #expect(throws: StoreError.self) {
                try await unitOfWork.execute { context in
                    context.insert(Customer("other"))
                    customer.age = 42
                }
            }

            #expect(error?.code == .rolledBack)
            #expect(error?.entity == EntityReference(kind: "customer", key: "a"))
            #expect(
                error?.message == """
                    The customer 'a' was found before its unit of work was rolled back, and was changed since, so the \
                    change would be lost. Nothing was stored. To fix, find it again in this unit of work, and change that \
                    object.
                    """
            )
        }
        #expect(store.commits.isEmpty)
    }

    @Test func aChangeIsReportedAfterACommitAndASecondRollbackToo() async throws {
        let customer = try await rolledBackCustomer()
        try await unitOfWork.execute { $0.insert(Customer("c")) }
        _ = try await rolledBackCustomer()

        let error = await #expect(throws: StoreError.self) {
            try await unitOfWork.execute { _ in customer.tags = ["x"] }
        }

        #expect(error?.code == .rolledBack)
    }

    @Test func aRefusedChangeIsReportedWhenItIsRepeated() async throws {
        try await store.store(Customer("taken", email: "x@example.org"))
        let found = try #require(try await context.find(Customer.self, id: "a"))
        await #expect(throws: StoreError.self) {
            try await unitOfWork.execute { _ in found.email = "x@example.org" }
        }

        let error = await #expect(throws: StoreError.self) {
            try await unitOfWork.execute { _ in found.email = "y@example.org" }
        }

        #expect(error?.code == .rolledBack)
    }

    @Test func anEventInALaterUnitOfWorkIsReportedAndDropped() async throws {
        let customer = try await rolledBackCustomer()

        let error = await #expect(throws: StoreError.self) {
            try await unitOfWork.execute { _ in customer.raiseEvent(Noted("lost")) }
        }

        #expect(error?.code == .rolledBack)
        #expect(customer.raisedEvents.count == 0)
    }

    @Test func aDeletionInALaterUnitOfWorkIsReported() async throws {
        let customer = try await rolledBackCustomer()

        let error = await #expect(throws: StoreError.self) {
            try await unitOfWork.execute { $0.delete(customer) }
        }

        #expect(error?.code == .unknownEntity)
        #expect(try await store.version(of: "a") == 1)
    }

    @Test func anInsertionInALaterUnitOfWorkIsReported() async throws {
        let customer = try await rolledBackCustomer()

        let error = await #expect(throws: StoreError.self) {
            try await unitOfWork.execute { $0.insert(customer) }
        }

        #expect(error?.code == .alreadyExists)
    }

    @Test func afterTheReportTheEntityCanBeFoundAndChanged() async throws {
        let customer = try await rolledBackCustomer()
        await #expect(throws: StoreError.self) { try await unitOfWork.execute { _ in customer.age = 42 } }

        try await unitOfWork.execute { try await $0.find(Customer.self, id: "a")?.age = 42 }

        #expect(try await store.version(of: "a") == 2)
        #expect(customer.age == 42)
    }

    @Test func aSecondObjectDoesNotHideTheFirstReport() async throws {
        let customer = try await rolledBackCustomer()

        let error = await #expect(throws: StoreError.self) {
            try await unitOfWork.execute { context in
                _ = try await context.find(Customer.self, id: "a")
                customer.age = 42
            }
        }

        #expect(error?.code == .rolledBack)
    }

    @Test func aReadOrARevertedChangeIsNotReported() async throws {
        let customer = try await rolledBackCustomer()
        let other = try await rolledBackCustomer { _ in }

        try await unitOfWork.execute { context in
            #expect(customer.age == 2)
            customer.age = 1
            #expect(other.age == 1)
            try await context.find(Customer.self, id: "b")?.age = 3
        }

        #expect(try await store.version(of: "b") == 2)
    }

    @Test func anInsertedEntityMayBeInsertedAgain() async throws {
        let customer = Customer("new")
        await #expect(throws: Failure()) {
            try await unitOfWork.execute { context in
                context.insert(customer)
                throw Failure()
            }
        }

        customer.age = 1
        try await unitOfWork.execute { _ in }
        try await unitOfWork.execute { $0.insert(customer) }

        #expect(try await store.version(of: "new") == 1)
    }

    @Test func afterACommitAnEntityIsNoLongerTracked() async throws {
        let customer = try await unitOfWork.execute { try #require(try await $0.find(Customer.self, id: "a")) }

        try await unitOfWork.execute { context in
            customer.age = 42
            context.insert(Customer("c"))
        }

        #expect(try await store.version(of: "a") == 1)
        #expect(try await store.version(of: "c") == 1)
    }

    @Test func releasedEntitiesAreNotKept() async throws {
        weak var customer: Customer?
        do { customer = try await rolledBackCustomer() }

        #expect(customer == nil)
        try await unitOfWork.execute { try await $0.find(Customer.self, id: "a")?.age = 5 }
        #expect(try await store.version(of: "a") == 2)
    }
}
