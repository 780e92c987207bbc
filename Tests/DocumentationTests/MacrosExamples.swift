// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import Headrace
import Testing

// MARK: - Resolvable

private struct AddSomethingCommand: CQDCommand {
    var name: String
}

private struct GetInfoQuery: CQDQuery {
    typealias Value = String
    var subject: String
}

private struct ListEntriesQuery: CQDStreamQuery {
    typealias Element = Entry
    var account: String
}

private struct Entry: Equatable, Sendable {
    let number: Int
}

private protocol Api: Sendable {
    func post(_ path: String, _ body: String) async throws
    func get(_ path: String) async throws -> String
}

private struct NotedApi: Api {
    let notes: Notes

    func post(_ path: String, _ body: String) async throws { notes.note("\(path) \(body)") }
    func get(_ path: String) async throws -> String { "answer to \(path)" }
}

private struct AnalyticsEngine: Sendable {
    let notes: Notes

    func track(_ event: String) { notes.note(event) }
}

private protocol Books: Sendable {
    func openCursor(account: String) throws -> Cursor
}

private struct PaperBooks: Books {
    func openCursor(account: String) throws -> Cursor { Cursor() }
}

private final class Cursor {
    private var number = 0

    func next() async throws -> Entry? {
        number += 1
        return number > 3 ? nil : Entry(number: number)
    }
}

private protocol Network: Sendable {}
private struct NoNetwork: Network {}

@Resolvable
private final class AddSomethingCommandHandler: HandlesCommand {
    private let api: any Api

    func handle(_ command: AddSomethingCommand) async throws {
        try await api.post("/something", command.name)
    }
}

@Resolvable
private final class ListEntriesQueryHandler: HandlesStreamQuery {
    private let books: any Books

    func handle(_ query: ListEntriesQuery) async throws -> some AsyncSequence<Entry, any Error> {
        let cursor = try books.openCursor(account: query.account)
        return QueryStream { try await cursor.next() }
    }
}

@Resolvable
private final class GetInfoHandler: HandlesQuery {
    private let api: any Api
    private let analytics: AnalyticsEngine

    func handle(_ query: GetInfoQuery) async throws -> String {
        analytics.track("asked")
        return try await api.get("/search?subject=\(query.subject)")
    }
}

@Resolvable
private final class Uploader {
    private let network: any Network
    private let chunkSize: Int

    @ResolvableInit
    init(network: any Network, chunkSize: Int = 4096) {
        self.network = network
        self.chunkSize = chunkSize
    }

    init(replaying recording: any Network) {
        network = recording
        chunkSize = 1
    }
}

extension Uploader {
    fileprivate var isReplaying: Bool { chunkSize == 1 }
}

@Suite struct ResolvableExamples {
    private let notes = Notes()

    private var container: Container {
        let builder = ContainerBuilder()
        builder.singleton((any Api).self) { [notes] in NotedApi(notes: notes) }
        builder.singleton { [notes] in AnalyticsEngine(notes: notes) }
        builder.singleton((any Books).self) { PaperBooks() }
        builder.singleton((any Network).self) { NoNetwork() }
        builder.transient(Uploader.self)
        builder.commandQueryDispatch().standard(
            commandHandlers: [AddSomethingCommandHandler.self],
            queryHandlers: [GetInfoHandler.self],
            streamHandlers: [ListEntriesQueryHandler.self]
        )
        return builder.build()
    }

    @Test func handlersReceiveTheirDeclaredDependencies() async throws {
        let container = container
        try container.validate()
        let dispatcher: any CommandQueryDispatcher = container.resolve()

        try await dispatcher.dispatch(AddSomethingCommand(name: "one"))
        let info = try await dispatcher.dispatch(GetInfoQuery(subject: "Programming"))
        var numbers: [Int] = []
        for try await entry in try await dispatcher.dispatch(ListEntriesQuery(account: "assets:cash")) {
            numbers.append(entry.number)
        }

        #expect(notes.all == ["/something one", "asked"])
        #expect(info == "answer to /search?subject=Programming")
        #expect(numbers == [1, 2, 3])
    }

    @Test func theMarkedInitializerIsUsed() {
        #expect(!container.resolve(Uploader.self).isReplaying)
        #expect(Uploader(replaying: NoNetwork()).isReplaying)
    }
}

// MARK: - Entities

@DomainEntity
private final class Customer: StoredEntity {
    static let entityName = "customer"
    static var indexes: [EntityIndex<Customer>] { [.email] }

    let id: UUID
    var email: String

    init(id: UUID, email: String) {
        self.id = id
        self.email = email
    }
}

extension EntityIndex<Customer> {
    fileprivate static var email: Self { EntityIndex("email", unique: true) { $0.email } }
}

private typealias CustomerID = UUID

private struct Order {
    let id: UUID
}

private struct OrderPlaced: DomainEvent {
    let customer: CustomerID
    let order: UUID
}

private enum Raising {
    @DomainEntity
    final class Customer {
        let id: CustomerID
        private(set) var orders: [Order] = []

        init(id: CustomerID) { self.id = id }

        func place(_ order: Order) {
            orders.append(order)
            raiseEvent(OrderPlaced(customer: id, order: order.id))
        }
    }
}

@Suite struct DomainEntityExamples {
    @Test func anEntityIsFoundByItsIndex() async throws {
        let store = try InMemoryStore(entities: [Customer.self])
        let context = EntityContext(store)
        context.insert(Customer(id: .version7(), email: "ada@example.org"))
        try await context.commit([])

        let found = try await EntityContext(store).fetch(Customer.self, where: [.equals(.email, "ada@example.org")])

        #expect(found.count == 1)
    }

    @Test func anEntityRaisesEvents() {
        let (id, order) = (UUID(), Order(id: UUID()))
        let customer = Raising.Customer(id: id)

        customer.place(order)

        let event = customer.raisedEvents.events.first as? OrderPlaced
        #expect(event?.customer == id)
        #expect(event?.order == order.id)
    }
}

// MARK: - Injection

private final class CounterStore: Sendable {}

extension DependencyResolver {
    fileprivate var counterStore: CounterStore { resolve() }
}

private protocol CounterStoreAction {}

extension CounterStoreAction {
    @Inject(\.counterStore) var store: CounterStore
}

private struct Increment: CounterStoreAction {}

@Suite struct InjectMacroExamples {
    @Test func anActionFindsItsStoreInTheCurrentContainer() {
        let builder = ContainerBuilder()
        builder.singleton { CounterStore() }
        let container = builder.build()

        container.withCurrent {
            #expect(Increment().store === container.counterStore)
        }
    }
}

// MARK: - Handlers of events

/// A program that registers event handlers with dependencies.
private enum Handling {
    struct OrderPlaced: DurableDomainEvent {
        static let eventName = "order-placed"
        var customerId: UUID
        var orderId: UUID
    }

    final class Order: StoredEntity {
        static let entityName = "order"
        let id: UUID
        let customerId: UUID
        var raisedEvents = RaisedEvents()

        init(of customerId: UUID) {
            id = .version7()
            self.customerId = customerId
            raiseEvent(OrderPlaced(customerId: customerId, orderId: id))
        }
    }

    struct SendReminder: CQDCommand, DurableCommand {
        static let commandName = "send-reminder"
        var customerId: UUID
    }

    struct NotificationService: Sendable {
        let notes: AsyncStream<String>.Continuation

        func notifyCustomer(customerId: UUID, message: String) {
            notes.yield(message)
        }
    }

    protocol Mailer: Sendable {
        func confirm(_ order: UUID) async throws
    }

    struct NotingMailer: Mailer {
        let notes: AsyncStream<String>.Continuation

        func confirm(_ order: UUID) async throws {
            notes.yield("confirmed")
        }
    }
}

extension Handling {
    @Resolvable
    final class NotifyCustomer: HandlesDomainEvent {
        static let isPostCommit = true

        private let notifications: NotificationService

        func handle(_ event: OrderPlaced) async throws {
            notifications.notifyCustomer(customerId: event.customerId, message: "Your order is being processed.")
        }
    }

    @Resolvable
    final class ConfirmOrder: HandlesDurableDomainEvent {
        static let subscriptionName = "confirmations"

        private let mailer: any Mailer

        func handle(_ event: OrderPlaced) async throws {
            try await mailer.confirm(event.orderId)
        }
    }

    @Resolvable
    final class SendReminderHandler: HandlesCommand {
        private let notifications: NotificationService

        func handle(_ command: SendReminder) async throws {
            notifications.notifyCustomer(customerId: command.customerId, message: "Please pay.")
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct DomainDeclarationExamples {
    private typealias OrderPlaced = Handling.OrderPlaced
    private typealias Order = Handling.Order
    private typealias NotifyCustomer = Handling.NotifyCustomer
    private typealias ConfirmOrder = Handling.ConfirmOrder
    private typealias SendReminder = Handling.SendReminder
    private typealias Mailer = Handling.Mailer

    private let notes: AsyncStream<String>
    private let outbox: AsyncStream<String>.Continuation

    init() {
        (notes, outbox) = AsyncStream.makeStream()
    }

    private var builder: ContainerBuilder {
        let outbox = outbox
        let builder = ContainerBuilder()
        builder.singleton { Handling.NotificationService(notes: outbox) }
        builder.singleton((any Handling.Mailer).self) { Handling.NotingMailer(notes: outbox) }
        builder.commandQueryDispatch().standard(commandHandlers: [Handling.SendReminderHandler.self])
        return builder
    }

    @Test func eventsAreRegisteredWithoutADomain() throws {
        let builder = builder
        builder.domainEvents(handlers: [NotifyCustomer.self, ConfirmOrder.self])

        try builder.validate(.strict)
    }

    @Test func aDomainIsRegisteredAndValidated() async throws {
        let store = try InMemoryStore(entities: [Order.self])
        let builder = builder
        builder.domain(
            store: store,
            handlers: [NotifyCustomer.self, ConfirmOrder.self]
        )
        try builder.validate(.strict)

        let container = builder.build()
        let relay: Relay = container.resolve()
        async let running: Void = relay.run()
        let unitOfWork: UnitOfWork<EntityContext> = container.resolve()
        try await unitOfWork.execute { $0.insert(Order(of: .version7())) }
        var notes = notes.makeAsyncIterator()

        let said = [await notes.next(), await notes.next()]
        #expect(Set(said) == ["Your order is being processed.", "confirmed"])
        relay.shutDown()
        try await running
    }

    @Test func theDispatcherHandlesAScheduledCommand() async throws {
        let builder = builder
        builder.domain(
            store: try InMemoryStore(entities: []),
            scheduled: [
                ScheduledCommand(SendReminder.self) { command, scope in
                    try await scope.require((any CommandQueryDispatcher).self).dispatch(command)
                }
            ]
        )
        try builder.validate(.strict)

        let container = builder.build()
        let relay: Relay = container.resolve()
        async let running: Void = relay.run()
        let unitOfWork: UnitOfWork<EntityContext> = container.resolve()
        try await unitOfWork.execute { context in
            _ = try context.schedule(SendReminder(customerId: .version7()), at: Date())
        }
        var notes = notes.makeAsyncIterator()

        #expect(await notes.next() == "Please pay.")
        relay.shutDown()
        try await running
    }

    @Test func requireReturnsARegisteredType() throws {
        let resolver = builder.build()
        let mailer = try resolver.require((any Mailer).self)

        #expect(mailer is Handling.NotingMailer)
    }
}
#endif
