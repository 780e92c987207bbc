// SPDX-License-Identifier: Apache-2.0

// SwiftData comes first: if a module that imports a stand-in is loaded before the stand-in, the compiler (6.3.1) misses the
// conformances that the macros of the stand-in write.
// swift-format-ignore: OrderedImports
import SwiftData
import Foundation
import Headrace
import HeadraceSwiftUI
import Testing

/// Units of work on a SwiftData context.
@Suite @MainActor struct ModelContextTests {
    private let journal = Journal()
    private let container: ModelContainer
    private let context: ModelContext
    private let unitOfWork: UnitOfWork<ModelContext>

    init() throws {
        container = try ModelContainer(
            for: Customer.self,
            Order.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true)
        )
        context = ModelContext(container)
        let serviceLocator: ServiceLocator = .init()
        serviceLocator.register(journal)
        serviceLocator.register(container)
        let registrar: DomainEventHandlerRegistrar = .init(resolver: serviceLocator)
        registrar.register(OrderPlacedHandler.self)
        registrar.register(CountOrders.self)
        registrar.register(CustomerHandler.self)
        registrar.register(RefuseBankrupts.self)
        unitOfWork = .init(delegator: registrar, context: context)
    }

    @Test func handlersRunBeforeAndAfterTheSave() async throws {
        try await unitOfWork.execute { context in
            let customer = Customer(name: "Ada")
            context.insert(customer)
            customer.placeOrder(Order())
        }

        #expect(journal.lines == ["before: 0 saved, 1 inserted", "after: 1 saved"])
        #expect(!context.hasChanges)
    }

    @Test func handlersBeforeTheSaveCanChangeTheSavedModels() async throws {
        try await unitOfWork.execute { context in
            let customer = Customer(name: "Ada")
            context.insert(customer)
            customer.placeOrder(Order())
            customer.placeOrder(Order())
        }

        #expect(try fetch().map(\.orderCount) == [2])
    }

    @Test func aFailingSaveRollsBackAndNoLaterHandlerRuns() async throws {
        let customer = try saved(Customer(name: "Ada"))
        container.nextSaveError = DiskIsFull()

        await #expect(throws: DiskIsFull.self) {
            try await unitOfWork.execute { context in
                customer.placeOrder(Order())
                customer.name = "Grace"
                context.insert(Customer(name: "Barbara"))
            }
        }

        #expect(journal.lines == ["before: 1 saved, 1 inserted"])
        #expect(!context.hasChanges)
        #expect(customer.name == "Ada")
        #expect(customer.orders.isEmpty)
        #expect(customer.raisedEvents.events.isEmpty)
        #expect(try fetch().map(\.name) == ["Ada"])
    }

    @Test func aRetryAfterAFailingSaveStartsWithoutTheFailedChanges() async throws {
        let customer = try saved(Customer(name: "Ada"))
        container.nextSaveError = DiskIsFull()
        await #expect(throws: DiskIsFull.self) {
            try await unitOfWork.execute { _ in customer.placeOrder(Order()) }
        }
        journal.clear()

        try await unitOfWork.execute { _ in customer.placeOrder(Order()) }

        #expect(journal.lines == ["before: 1 saved, 0 inserted", "after: 1 saved"])
        #expect(customer.orders.count == 1)
    }

    @Test func aFailingHandlerBeforeTheSaveRollsBackInsertedChangedAndDeletedModels() async throws {
        let (ada, grace) = try (saved(Customer(name: "Ada")), saved(Customer(name: "Grace")))

        await #expect(throws: Bankrupt.self) {
            try await unitOfWork.execute { context in
                context.insert(Customer(name: "Barbara"))
                context.delete(grace)
                ada.name = "Countess"
                ada.goBankrupt()
            }
        }

        #expect(try fetch().map(\.name) == ["Ada", "Grace"])
        #expect(!context.hasChanges)
    }

    @Test func eventsOfInsertedChangedAndDeletedModelsAreHandledInTheOrderRaised() async throws {
        let (ada, grace) = try (saved(Customer(name: "Ada")), saved(Customer(name: "Grace")))

        try await unitOfWork.execute { context in
            grace.close()
            context.delete(grace)
            let barbara = Customer(name: "Barbara")
            context.insert(barbara)
            barbara.rename("Liskov")
            ada.rename("Countess")
        }

        #expect(journal.lines == ["Grace closed", "Barbara is Liskov", "Ada is Countess"])
        #expect(try fetch().map(\.name) == ["Countess", "Liskov"])
    }

    @Test func aModelThatOnlyRaisesAnEventKeepsItUntilItChanges() async throws {
        let customer = try saved(Customer(name: "Ada"))

        try await unitOfWork.execute { _ in customer.close() }
        #expect(journal.lines == [])

        try await unitOfWork.execute { _ in customer.rename("Countess") }
        #expect(journal.lines == ["Ada closed", "Ada is Countess"])
    }

    @Test func aNestedUnitOfWorkOnTheSameContextIsSavedWithTheOuterOne() async throws {
        try await unitOfWork.execute { context in
            context.insert(Customer(name: "Ada"))
            try await unitOfWork.execute { $0.insert(Customer(name: "Grace")) }
            #expect(container.models.isEmpty)
        }

        #expect(container.models.count == 2)
    }

    /// Saves `customer` and returns it.
    private func saved(_ customer: Customer) throws -> Customer {
        context.insert(customer)
        try context.save()
        return customer
    }

    private func fetch() throws -> [Customer] {
        try context.fetch(FetchDescriptor<Customer>())
    }
}

@Model
@DomainEntity
class Customer {
    let uuid: UUID = UUID()

    var name: String
    var orders: [Order] = []
    var orderCount: Int = 0

    init(name: String) {
        self.name = name
    }

    func placeOrder(_ order: Order) {
        orders.append(order)
        raiseEvent(OrderPlaced(customerId: uuid, orderId: order.uuid))
    }

    func rename(_ newName: String) {
        raiseEvent(CustomerEvent(text: "\(name) is \(newName)"))
        name = newName
    }

    func close() {
        raiseEvent(CustomerEvent(text: "\(name) closed"))
    }

    func goBankrupt() {
        orders = []
        raiseEvent(WentBankrupt())
    }
}

@Model
class Order {
    let uuid: UUID = UUID()

    init() {}
}

struct OrderPlaced: DomainEvent {
    var customerId: UUID
    var orderId: UUID
}

struct CustomerEvent: DomainEvent {
    var text: String
}

struct WentBankrupt: DomainEvent {}

struct Bankrupt: Error {}

struct DiskIsFull: Error {}

/// Records, in the unit of work, the orders of the unit of work.
struct CountOrders: DomainEventHandler {
    static func handle(event: OrderPlaced, resolver: DependencyResolver) async throws {
        let context = try resolver.require(ModelContext.self)
        let customers = try context.fetch(FetchDescriptor<Customer>()).filter { $0.uuid == event.customerId }
        customers.first?.orderCount += 1
        let journal = try resolver.require(Journal.self)
        let saved = try resolver.require(ModelContainer.self).models.count
        journal.append("before: \(saved) saved, \(context.insertedModelsArray.count) inserted")
    }
}

struct OrderPlacedHandler: DomainEventHandler {
    static let isPostCommit = true

    static func handle(event: OrderPlaced, resolver: DependencyResolver) async throws {
        let saved = try resolver.require(ModelContainer.self).models.count
        try resolver.require(Journal.self).append("after: \(saved) saved")
    }
}

struct CustomerHandler: DomainEventHandler {
    static func handle(event: CustomerEvent, resolver: DependencyResolver) async throws {
        try resolver.require(Journal.self).append(event.text)
    }
}

struct RefuseBankrupts: DomainEventHandler {
    static func handle(event: WentBankrupt, resolver: DependencyResolver) async throws {
        throw Bankrupt()
    }
}
