// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceTesting
import Synchronization
import Testing

/// Commands that a unit of work sends, and that a relay dispatches.
@Suite(.timeLimit(.minutes(2))) struct DurableCommandTests {
    /// The stores that the tests run on.
    enum Place: CaseIterable {
        case memory
        #if SQLite
        case file
        #endif

        func withStore(_ body: (any DeliveryStore) async throws -> Void) async throws {
            let entities: [any StoredEntity.Type] = [Sale.self]
            switch self {
            case .memory:
                try await body(InMemoryStore(entities: entities))
            #if SQLite
            case .file:
                let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(at: folder) }
                try await body(SQLiteStore(path: folder.appending(path: "sales.sqlite").path, entities: entities))
            #endif
            }
        }
    }

    private let log = CallLog()

    /// The dispatcher carries out ``ChargeCard`` because it handles it, unless there is an operation.
    private func container(
        _ store: any DeliveryStore,
        charging command: ScheduledCommand? = nil
    ) -> Container {
        let builder = ContainerBuilder()
        let log = log
        builder.singleton { log }
        builder.domain(
            store: store,
            handlers: [PrintReceipt.self],
            scheduled: command.map { [$0] } ?? []
        )
        builder.commandQueryDispatch().standard(
            commandHandlers: [ChargeCardHandler.self, SellHandler.self],
            middleware: [Noting(log: log)]
        )
        return builder.build()
    }

    private nonisolated(nonsending) func charged(_ store: any DeliveryStore) async throws -> Int? {
        try await EntityContext(store).find(Sale.self, id: "1")?.charges
    }

    @Test(arguments: Place.allCases) func aSentCommandIsDispatchedThroughTheMiddlewareOnce(place: Place) async throws {
        try await place.withStore { store in
            let container = container(store)
            try await TestRelay.run(container.resolve()) { relay in
                try await container.resolve((any CommandQueryDispatcher).self).dispatch(Sell(id: "1"))
                try await relay.untilIdle()
                try await relay.advance(by: .seconds(3_600))

                #expect(log.lines == ["Sell", "ChargeCard"])
                #expect(try await charged(store) == 1)
                #expect(try await store.deliveryStatistics().pendingCount == 0)
            }
        }
    }

    @Test(arguments: Place.allCases) func aUnitOfWorkThatRollsBackSendsNothing(place: Place) async throws {
        try await place.withStore { store in
            let container = container(store)
            try await TestRelay.run(container.resolve()) { relay in
                let dispatcher: any CommandQueryDispatcher = container.resolve()
                await #expect(throws: Refused.self) { try await dispatcher.dispatch(Sell(id: "1", isRefused: true)) }
                try await relay.untilIdle()

                #expect(log.lines == ["Sell"])
                #expect(try await charged(store) == nil)
            }
        }
    }

    @Test(arguments: Place.allCases) func anAttemptThatFailsStoresNothingAndIsRetried(place: Place) async throws {
        try await place.withStore { store in
            let container = container(store)
            log.fail(times: 3)
            try await TestRelay.run(container.resolve()) { relay in
                try await container.resolve((any CommandQueryDispatcher).self).dispatch(Sell(id: "1"))
                await #expect(throws: RelayError.self) { try await relay.untilIdle() }
                #expect(try await charged(store) == 0)
                try await relay.advance(by: .seconds(3_600))

                #expect(log.lines == ["Sell"] + Array(repeating: "ChargeCard", count: 4))
                #expect(try await charged(store) == 1)
            }
        }
    }

    @Test(arguments: Place.allCases) func aCommandThatKeepsFailingIsADeadLetterThatCanBeReplayed(place: Place)
        async throws
    {
        try await place.withStore { store in
            let container = container(store)
            log.fail(times: Relay.Configuration().maximumAttempts)
            try await TestRelay.run(container.resolve()) { relay in
                try await container.resolve((any CommandQueryDispatcher).self).dispatch(Sell(id: "1"))
                await #expect(throws: RelayError.self) { try await relay.advance(by: .seconds(172_800)) }
                let letters = try await DeadLetters(in: store).page()
                #expect(letters.count == 1)
                #expect(try await charged(store) == 0)

                try await DeadLetters(in: store).replay(letters.map(\.id))
                try await relay.untilIdle()
                #expect(try await charged(store) == 1)
            }
        }
    }

    @Test(arguments: Place.allCases) func theResultBecomesAnEventExactlyOnce(place: Place) async throws {
        try await place.withStore { store in
            let container = container(
                store,
                charging: ScheduledCommand(ChargeCard.self, raising: { CardCharged(sale: $0.sale, receipt: $1) })
            )
            log.fail(times: 2)
            try await TestRelay.run(container.resolve()) { relay in
                try await container.resolve((any CommandQueryDispatcher).self).dispatch(Sell(id: "1"))
                try await relay.advance(by: .seconds(3_600))

                #expect(log.lines.filter { $0.hasPrefix("receipt") } == ["receipt 1 of 1"])
                #expect(try await store.events(after: 0, limit: 10).map(\.event.name) == ["card-charged"])
            }
        }
    }

    @Test(arguments: Place.allCases) func aCommandCausesTheMessagesOfItsHandler(place: Place) async throws {
        try await place.withStore { store in
            let container = container(store)
            try await TestRelay.run(container.resolve()) { relay in
                try await container.resolve((any CommandQueryDispatcher).self).dispatch(Sell(id: "1"))
                try await relay.untilIdle()

                let contexts = log.contexts
                #expect(contexts.count == 2)
                #expect(Set(contexts.map(\.correlationID)) == [contexts.first?.id])
                #expect(contexts.last?.causationID != nil)
            }
        }
    }

    @Test func aMissingDispatcherFailsTheDeliveryAndNotTheProcess() async throws {
        let store = try InMemoryStore(entities: [Sale.self])
        let builder = ContainerBuilder()
        builder.domain(store: store, scheduled: [ScheduledCommand(ChargeCard.self)])
        let container = builder.build()

        try await TestRelay.run(container.resolve()) { relay in
            try await container.resolve(UnitOfWork<EntityContext>.self).execute {
                _ = try $0.send(ChargeCard(sale: "1"))
            }
            await #expect(throws: RelayError.self) { try await relay.advance(by: .seconds(172_800)) }
            #expect(try await DeadLetters(in: store).page().count == 1)
        }
    }
}

// MARK: - A shop

private final class Sale: StoredEntity {
    static let entityName = "sale"
    let id: String
    var charges = 0
    var raisedEvents = RaisedEvents()

    init(_ id: String) {
        self.id = id
    }
}

private struct Refused: Error {}

private struct Sell: CQDCommand {
    let id: String
    var isRefused = false
}

private struct SellHandler: HandlesCommand, Resolvable {
    private let unitOfWork: UnitOfWork<EntityContext>

    init(scope: any DependencyResolutionScope) {
        unitOfWork = scope.resolve()
    }

    func handle(_ command: Sell) async throws {
        try await unitOfWork.execute { context in
            context.insert(Sale(command.id))
            try context.send(ChargeCard(sale: command.id))
            if command.isRefused { throw Refused() }
        }
    }
}

private struct ChargeCard: CQDCommand, DurableCommand {
    typealias Output = Int
    static let commandName = "charge-card"
    let sale: String
}

private struct ChargeCardHandler: HandlesCommand, Resolvable {
    private let unitOfWork: UnitOfWork<EntityContext>
    private let log: CallLog

    init(scope: any DependencyResolutionScope) {
        unitOfWork = scope.resolve()
        log = scope.resolve()
    }

    func handle(_ command: ChargeCard) async throws -> Int {
        let count = try await unitOfWork.execute { context in
            let sale = try await context.find(Sale.self, id: command.sale)
            sale?.charges += 1
            return sale?.charges ?? 0
        }
        if log.takeFailure() { throw Refused() }
        return count
    }
}

private struct CardCharged: DurableDomainEvent {
    static let eventName = "card-charged"
    let sale: String
    let receipt: Int
}

private struct PrintReceipt: HandlesDurableDomainEvent, Resolvable {
    static let subscriptionName = "receipts"
    private let log: CallLog

    init(scope: any DependencyResolutionScope) {
        log = scope.resolve()
    }

    func handle(_ event: CardCharged) async throws {
        log.note("receipt \(event.receipt) of \(event.sale)")
    }
}

/// The messages of a test, and the failures that it asks for.
private final class CallLog: Sendable {
    private struct State {
        var lines: [String] = []
        var contexts: [MessageContext] = []
        var failures = 0
    }

    private let state = Mutex(State())

    var lines: [String] { state.withLock { $0.lines } }
    var contexts: [MessageContext] { state.withLock { $0.contexts } }

    func note(_ line: String, _ context: MessageContext? = nil) {
        state.withLock { state in
            state.lines.append(line)
            if let context { state.contexts.append(context) }
        }
    }

    func fail(times: Int) {
        state.withLock { $0.failures = times }
    }

    func takeFailure() -> Bool {
        state.withLock { state in
            if state.failures == 0 { return false }
            state.failures -= 1
            return true
        }
    }
}

private struct Noting: Middleware {
    let log: CallLog

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        log.note("\(Message.self)", context)
        return try await next(message)
    }
}
