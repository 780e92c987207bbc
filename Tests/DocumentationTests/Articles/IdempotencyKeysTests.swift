// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import Testing

private struct Pay: CQDCommand, IdempotentMessage {
    let order: String
    let cents: Int
    var idempotencyKey: String { "pay/\(order)" }
}

private final class PayHandler: HandlesCommand, Resolvable {
    private let books: UnitOfWork<EntityContext>

    init(scope: any DependencyResolutionScope) {
        books = scope.resolve()
    }

    func handle(_ command: Pay) async throws {
        try await books.execute { context in
            guard let till = try await context.find(Till.self, id: "shop") else { throw ShopIsClosed() }
            till.cents += command.cents
        }
    }
}

private struct Refund: CQDCommand, Codable {
    let cents: Int
}

private final class RefundHandler: HandlesCommand, Resolvable {
    private let books: UnitOfWork<EntityContext>

    init(scope: any DependencyResolutionScope) {
        books = scope.resolve()
    }

    func handle(_ command: Refund) async throws {
        try await books.execute { try await $0.find(Till.self, id: "shop")?.cents -= command.cents }
    }
}

private final class Till: StoredEntity {
    static let entityName = "till"

    let id: String
    var cents = 0
    var raisedEvents = RaisedEvents()

    init(id: String) {
        self.id = id
    }
}

private struct ShopIsClosed: Error {}

@Suite struct IdempotencyKeysTests {
    private let store: InMemoryStore

    init() throws {
        store = try InMemoryStore(entities: [Till.self])
    }

    private func open() async throws {
        let context = EntityContext(store)
        context.insert(Till(id: "shop"))
        try await context.commit([])
    }

    private func makeDispatcher() throws -> any CommandQueryDispatcher {
        let builder = ContainerBuilder()
        builder.domain(store: store)
        builder.commandQueryDispatch().standard(
            commandHandlers: [PayHandler.self, RefundHandler.self],
            middleware: [RetryMiddleware()],
            resolvedMiddleware: [IdempotencyMiddleware.self]
        )
        try builder.validate()
        return builder.build().resolve()
    }

    private var cents: Int? {
        get async throws { try await EntityContext(store).find(Till.self, id: "shop")?.cents }
    }

    @Test func aCommandThatIsSentTwiceTakesEffectOnce() async throws {
        try await open()
        let dispatcher = try makeDispatcher()

        try await dispatcher.dispatch(Pay(order: "7", cents: 500))
        try await dispatcher.dispatch(Pay(order: "7", cents: 500))  // returns the first outcome

        #expect(try await cents == 500)
    }

    @Test func anotherCommandUnderTheKeyIsRefused() async throws {
        try await open()
        let dispatcher = try makeDispatcher()
        try await dispatcher.dispatch(Pay(order: "7", cents: 500))

        let error = await #expect(throws: IdempotencyError.self) {
            try await dispatcher.dispatch(Pay(order: "7", cents: 900))
        }

        #expect(error?.code == .differentCommand)
        #expect(try await cents == 500)
    }

    @Test func aFailedCommandIsHandledWhenItIsSentAgain() async throws {
        let dispatcher = try makeDispatcher()
        await #expect(throws: ShopIsClosed.self) { try await dispatcher.dispatch(Pay(order: "7", cents: 500)) }
        try await open()

        try await dispatcher.dispatch(Pay(order: "7", cents: 500))

        #expect(try await cents == 500)
    }

    @Test func aKeyOfTheClientAppliesToOneCommand() async throws {
        try await open()
        let dispatcher = try makeDispatcher()
        let (user, header) = ("ada", "b1e8")

        for _ in 1...2 {
            try await IdempotencyMiddleware.withKey("\(user)/\(header)") {
                try await dispatcher.dispatch(Refund(cents: 200))
            }
        }
        try await IdempotencyMiddleware.withKey(nil) { try await dispatcher.dispatch(Refund(cents: 1)) }
        try await dispatcher.dispatch(Refund(cents: 1))

        #expect(try await cents == -202)
    }
}
