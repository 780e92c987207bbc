// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceProcesses
import HeadraceResolution
import HeadraceStorage
import Testing

private final class Account: StoredEntity {
    static let entityName = "account"

    let id: String
    var balance: Int
    var raisedEvents = RaisedEvents()

    init(id: String, balance: Int) {
        self.id = id
        self.balance = balance
    }
}

private final class Product: StoredEntity {
    static let entityName = "product"

    let id: String
    var stock: Int
    var raisedEvents = RaisedEvents()

    init(id: String, stock: Int) {
        self.id = id
        self.stock = stock
    }
}

private func sell(_ id: String, from store: InMemoryStore) async throws {
    let unitOfWork = UnitOfWork(on: store, delegator: DomainEventHandlerRegistrar(resolver: ServiceLocator()))
    try await unitOfWork.execute { context in
        guard let product = try await context.find(Product.self, id: id, for: .update) else { return }
        product.stock -= 1
    }
}

private struct Transfer: CQDCommand {
    let payer: String
    let payee: String
    let amount: Int
}

extension Transfer: SerializedCommand {
    var lockKeys: Set<String> { [payer, payee] }
}

private struct Overdrawn: Error, Equatable {
    let account: String
}

private final class TransferHandler: HandlesCommand, Resolvable {
    private let books: UnitOfWork<EntityContext>

    init(scope: any DependencyResolutionScope) {
        books = scope.resolve()
    }

    func handle(_ command: Transfer) async throws {
        try await book(command.amount, to: command.payee)
        try await book(-command.amount, to: command.payer)
    }

    private func book(_ amount: Int, to id: String) async throws {
        try await books.execute { context in
            guard let account = try await context.find(Account.self, id: id) else { return }
            account.balance += amount
            if account.balance < 0 { throw Overdrawn(account: id) }
        }
    }
}

@Suite struct CommandsAsUnitsOfWorkTests {
    private let store: InMemoryStore

    init() throws {
        store = try InMemoryStore(entities: [Account.self])
    }

    private func open() async throws {
        let context = EntityContext(store)
        context.insert(Account(id: "ada", balance: 50))
        context.insert(Account(id: "bea", balance: 0))
        try await context.commit([])
    }

    private func balance(_ id: String) async throws -> Int? {
        try await EntityContext(store).find(Account.self, id: id)?.balance
    }

    @Test func aFailingCommandStoresNothing() async throws {
        try await open()
        let builder = ContainerBuilder()
        builder.domain(store: store)
        builder.commandQueryDispatch().standard(
            commandHandlers: [TransferHandler.self],
            middleware: [RetryMiddleware()],
            resolvedMiddleware: [UnitOfWorkMiddleware<EntityContext>.self]
        )
        try builder.validate()
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()

        await #expect(throws: Overdrawn(account: "ada")) {
            try await dispatcher.dispatch(Transfer(payer: "ada", payee: "bea", amount: 70))
        }

        #expect(try await balance("ada") == 50)
        #expect(try await balance("bea") == 0)
    }

    @Test func withoutTheMiddlewareTheFirstUnitOfWorkIsStored() async throws {
        try await open()
        let builder = ContainerBuilder()
        builder.domain(store: store)
        builder.commandQueryDispatch().standard(commandHandlers: [TransferHandler.self])
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()

        await #expect(throws: Overdrawn(account: "ada")) {
            try await dispatcher.dispatch(Transfer(payer: "ada", payee: "bea", amount: 70))
        }

        #expect(try await balance("bea") == 70)
    }

    @Test func unitsOfWorkThatLockAProductNeverConflict() async throws {
        let store = try InMemoryStore(entities: [Product.self])
        let context = EntityContext(store)
        context.insert(Product(id: "teapot", stock: 20))
        try await context.commit([])

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...20 {
                group.addTask { try await sell("teapot", from: store) }
            }
            try await group.waitForAll()
        }

        #expect(try await EntityContext(store).find(Product.self, id: "teapot")?.stock == 0)
    }

    @Test func serializedCommandsReadAhead() async throws {
        try await open()
        let builder = ContainerBuilder()
        builder.domain(store: ReadAheadStore(store))
        builder.commandQueryDispatch().standard(
            commandHandlers: [TransferHandler.self],
            middleware: [RetryMiddleware(), SerializingMiddleware()],
            resolvedMiddleware: [UnitOfWorkMiddleware<EntityContext>.self]
        )
        try builder.validate()
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...5 {
                group.addTask { try await dispatcher.dispatch(Transfer(payer: "ada", payee: "bea", amount: 10)) }
            }
            try await group.waitForAll()
        }

        #expect(try await balance("ada") == 0)
        #expect(try await balance("bea") == 50)
    }

    @Test func validationReportsARetryWithinTheUnitOfWork() {
        let builder = ContainerBuilder()
        builder.domain(store: store)
        builder.singleton { RetryMiddleware() }
        builder.commandQueryDispatch().standard(
            commandHandlers: [TransferHandler.self],
            resolvedMiddleware: [UnitOfWorkMiddleware<EntityContext>.self, RetryMiddleware.self]
        )

        #expect(throws: (any Error).self) { try builder.validate() }
    }
}
