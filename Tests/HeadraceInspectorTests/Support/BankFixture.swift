// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceInspector
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Synchronization

/// A small application with everything that an inspector shows, on a virtual clock.
final class BankFixture: Sendable {
    static let epoch = Date(timeIntervalSince1970: 1_700_000_000)

    let clock = TestClock()
    let inspector: Inspector
    let store: InMemoryStore
    let container: Container
    let registrar: DomainEventHandlerRegistrar
    let dispatcher: any CommandQueryDispatcher
    let relay: Relay
    let mail = Mail()

    init(
        history: InspectorHistory? = nil,
        _ configure: (inout InspectorConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = InspectorConfiguration()
        configure(&configuration)
        let (clock, start) = (clock, clock.now)
        let wallClock: @Sendable () -> Date = {
            Self.epoch.addingTimeInterval(start.duration(to: clock.now) / .seconds(1))
        }
        inspector = Inspector(configuration: configuration, history: history, clock: clock, wallClock: wallClock)
        store = try InMemoryStore(entities: [Account.self])
        let observers: [any MessageObserver] = [inspector.observer]
        let (store, mail) = (store, mail)

        let services = ServiceLocator()
        services.register(mail)
        registrar = DomainEventHandlerRegistrar(resolver: services, observers: observers)
        registrar.register(CheckLimit.self)
        registrar.register(MailStatement.self)

        let builder = ContainerBuilder()
        builder.singleton { store as any EntityStore }
        builder.commandQueryDispatch().standard(
            commandHandlers: [DepositHandler.self],
            queryHandlers: [GetBalanceHandler.self],
            middleware: [UnitOfWorkMiddleware(on: store, delegator: registrar)],
            observers: observers,
            clock: clock
        )
        container = builder.build()
        dispatcher = container.resolve()

        relay = Self.relay(store, registrar, inspector, mail, clock, wallClock)
        inspector.show(container.graph)
        inspector.show(store)
    }

    /// Creates another relay on the store of `bank`.
    static func relay(like bank: BankFixture) -> Relay {
        relay(bank.store, bank.registrar, bank.inspector, bank.mail, bank.clock, { epoch })
    }

    private static func relay(
        _ store: InMemoryStore,
        _ registrar: DomainEventHandlerRegistrar,
        _ inspector: Inspector,
        _ mail: Mail,
        _ clock: TestClock,
        _ wallClock: @escaping @Sendable () -> Date
    ) -> Relay {
        var settings = Relay.Configuration()
        settings.pollJitter = 0
        settings.maximumAttempts = 1
        return Relay(
            store: store,
            registrar: registrar,
            configuration: settings,
            observers: [inspector.observer],
            relayObservers: [inspector.observer, mail],
            clock: clock,
            wallClock: wallClock
        )
    }

    /// Runs `operation` as a server does for a request.
    nonisolated(nonsending) func withRequest<Result>(
        _ path: String,
        _ operation: nonisolated(nonsending) @escaping () async throws -> Result
    ) async throws -> Result {
        try await withRootMessage(PostRequest(path: path), observers: [inspector.observer], clock: clock) { _ in
            try await operation()
        }
    }

    /// Posts a deposit as a request of a server does.
    nonisolated(nonsending) func request(_ amount: Int, to account: String = "a") async throws {
        try await withRequest("/deposits") {
            try await self.dispatcher.dispatch(Deposit(account: account, amount: amount))
        }
    }

    /// Runs the relay until `count` deliveries are completed or dead letters.
    func deliver(_ count: Int) async throws {
        let running = Task { try await relay.run() }
        await mail.settled(count)
        relay.shutDown()
        try await running.value
    }
}

struct PostRequest: Sendable {
    var path: String
}

struct Deposit: CQDCommand {
    var account: String
    var amount: Int
}

struct GetBalance: CQDQuery {
    typealias Value = Int
    var account: String
}

final class Account: StoredEntity {
    static let entityName = "account"

    let id: String
    var balance = 0
    var raisedEvents = RaisedEvents()

    init(_ id: String) {
        self.id = id
    }
}

struct Deposited: DurableDomainEvent {
    static let eventName = "deposited"
    var account: String
    var amount: Int
}

struct LimitExceeded: Error {}

struct CheckLimit: DomainEventHandler {
    static func handle(event: Deposited, resolver: any DependencyResolver) async throws {
        if event.amount > 1_000 { throw LimitExceeded() }
    }
}

/// Mails a statement.
///
/// An amount of 13 fails until the test calls `Mail.repair()`.
struct MailStatement: DurableDomainEventHandler {
    static let subscriptionName = "statements"

    static func handle(event: Deposited, resolver: any DependencyResolver) async throws {
        try resolver.resolve(Mail.self).send(event.amount)
    }
}

final class DepositHandler: HandlesCommand, Resolvable {
    private let store: any EntityStore

    init(scope: any DependencyResolutionScope) {
        store = scope.resolve()
    }

    func handle(_ command: Deposit) async throws {
        // Joins the unit of work of the middleware, whose registrar has the handlers.
        let unitOfWork = UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(store))
        try await unitOfWork.execute { context in
            let account = try await context.find(Account.self, id: command.account) ?? Account(command.account)
            account.balance += command.amount
            context.insert(account)
            account.raiseEvent(Deposited(account: account.id, amount: command.amount))
        }
    }
}

final class GetBalanceHandler: HandlesQuery, Resolvable {
    private let store: any EntityStore

    init(scope: any DependencyResolutionScope) {
        store = scope.resolve()
    }

    func handle(_ query: GetBalance) async throws -> Int {
        try await EntityContext(store).find(Account.self, id: query.account)?.balance ?? 0
    }
}

/// Receives mail, and lets a test wait for the outcome of deliveries.
final class Mail: RelayObserver {
    struct Bounced: Error, CustomStringConvertible {
        var description: String { "the mailbox of 13 is full" }
    }

    private struct State {
        var isRepaired = false
        var sent: [Int] = []
    }

    private let state = Mutex(State())
    private let settledCount = ConditionVariable(0)

    var sent: [Int] { state.withLock { $0.sent } }

    func repair() { state.withLock { $0.isRepaired = true } }

    func send(_ amount: Int) throws {
        try state.withLock { state in
            if amount == 13 && !state.isRepaired { throw Bounced() }
            state.sent.append(amount)
        }
    }

    /// Returns when `count` deliveries are completed or dead letters.
    func settled(_ count: Int) async {
        await settledCount.wait { $0 >= count }
    }

    func delivered(_ delivery: Delivery) { settledCount.change { $0 += 1 } }
    func deadLettered(_ delivery: Delivery, reason: String) { settledCount.change { $0 += 1 } }
}
