// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import Testing

private final class Customer: StoredEntity {
    static let entityName = "customer"

    let id: UUID
    var raisedEvents = RaisedEvents()

    init(id: UUID) {
        self.id = id
    }
}

private struct PlaceOrder: CQDCommand, IdempotentMessage {
    var orderId: UUID
    var idempotencyKey: String { "place-order/\(orderId)" }
}

private struct Reserve: CQDCommand, Codable {
    var article: String
}

private final class PlaceOrderHandler: HandlesCommand, Resolvable {
    private let notes: Notes

    init(scope: any DependencyResolutionScope) {
        notes = scope.resolve()
    }

    func handle(_ command: PlaceOrder) async throws {
        notes.note("placed \(command.orderId)")
    }
}

private final class ReserveHandler: HandlesCommand, Resolvable {
    private let notes: Notes

    init(scope: any DependencyResolutionScope) {
        notes = scope.resolve()
    }

    func handle(_ command: Reserve) async throws {
        notes.note("reserved \(command.article)")
    }
}

private struct SendReminder: CQDCommand, DurableCommand {
    static let commandName = "send-reminder"
    var customerId: UUID
}

private final class SendReminderHandler: HandlesCommand, Resolvable {
    private let outbox: AsyncStream<UUID>.Continuation

    init(scope: any DependencyResolutionScope) {
        outbox = scope.resolve()
    }

    func handle(_ command: SendReminder) async throws {
        outbox.yield(command.customerId)
    }
}

@Suite(.timeLimit(.minutes(2))) struct DomainCommandExamples {
    private let notes = Notes()
    private let reminded: AsyncStream<UUID>
    private let outbox: AsyncStream<UUID>.Continuation
    private let store: InMemoryStore
    private let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())

    init() throws {
        store = try InMemoryStore(entities: [Customer.self])
        (reminded, outbox) = AsyncStream.makeStream()
    }

    private var builder: ContainerBuilder {
        let builder = ContainerBuilder()
        builder.singleton { [notes] in notes }
        builder.singleton { [outbox] in outbox }
        return builder
    }

    private var unitOfWorkMiddleware: UnitOfWorkMiddleware<EntityContext> {
        UnitOfWorkMiddleware(on: store, delegator: registrar)
    }

    @Test func aCommandTakesEffectOncePerKey() async throws {
        struct Request {
            var headers: [String: String] = [:]
        }
        let builder = builder
        let request = Request(headers: ["Idempotency-Key": "7"])

        builder.commandQueryDispatch().standard(
            commandHandlers: [ReserveHandler.self],
            middleware: [RetryMiddleware(), IdempotencyMiddleware(on: store, delegator: registrar)]
        )

        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()
        for _ in 1...3 {
            try await IdempotencyMiddleware.withKey(request.headers["Idempotency-Key"]) {
                try await dispatcher.dispatch(Reserve(article: "teapot"))
            }
        }

        #expect(notes.all == ["reserved teapot"])
    }

    @Test func aCommandProvidesItsIdempotencyKey() async throws {
        let builder = builder
        builder.commandQueryDispatch().standard(
            commandHandlers: [PlaceOrderHandler.self],
            middleware: [IdempotencyMiddleware(on: store, delegator: registrar)]
        )
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()
        let id = UUID()

        try await dispatcher.dispatch(PlaceOrder(orderId: id))
        try await dispatcher.dispatch(PlaceOrder(orderId: id))

        #expect(notes.all == ["placed \(id)"])
    }

    @Test func aDispatcherUsesTheMiddlewareOfADomain() async throws {
        let builder = builder
        builder.domain(store: store)
        builder.commandQueryDispatch().standard(
            commandHandlers: [PlaceOrderHandler.self],
            middleware: [RetryMiddleware()],
            resolvedMiddleware: [IdempotencyMiddleware.self]
        )
        try builder.validate()
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()
        let id = UUID()

        try await dispatcher.dispatch(PlaceOrder(orderId: id))
        try await dispatcher.dispatch(PlaceOrder(orderId: id))

        #expect(notes.all == ["placed \(id)"])
    }

    @Test func aCommandIsOneUnitOfWork() async throws {
        struct Refusal: Error {}
        let chain = MiddlewareChain(middleware: [unitOfWorkMiddleware])
        let context = { EntityContext(store) }

        await #expect(throws: Refusal.self) {
            try await chain.run("refused", kind: .command) { _ in
                try await UnitOfWork(delegator: registrar, context: context()).execute {
                    $0.insert(Customer(id: UUID()))
                }
                throw Refusal()
            }
        }
        #expect(try await context().fetch(Customer.self).isEmpty)

        try await chain.run("accepted", kind: .command) { _ in
            try await UnitOfWork(delegator: registrar, context: context()).execute { $0.insert(Customer(id: UUID())) }
        }
        #expect(try await context().fetch(Customer.self).count == 1)
    }

    @Test func aScheduledCommandIsHandledLater() async throws {
        let builder = builder
        builder.commandQueryDispatch().standard(commandHandlers: [SendReminderHandler.self])
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()
        let relay = Relay(store: store, registrar: registrar)
        let id = UUID()

        relay.carryOut(SendReminder.self) { try await dispatcher.dispatch($0) }

        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            _ = try context.schedule(SendReminder(customerId: id), at: Date(timeIntervalSince1970: 0))
        }
        async let running: Void = relay.run()
        #expect(await reminded.first { _ in true } == id)
        relay.shutDown()
        try await running
    }
}
