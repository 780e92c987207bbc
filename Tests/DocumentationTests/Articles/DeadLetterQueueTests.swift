// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

private final class Order: StoredEntity {
    static let entityName = "order"

    let id: String
    var raisedEvents = RaisedEvents()

    init(_ id: String) {
        self.id = id
    }

    func pay() {
        raiseEvent(OrderPaid(order: id))
    }
}

private struct OrderPaid: DurableDomainEvent {
    static let eventName = "order-paid"
    let order: String
}

private struct SendReceipt: DurableDomainEventHandler {
    static let subscriptionName = "receipts"

    static func handle(event: OrderPaid, resolver: any DependencyResolver) async throws {
        try resolver.require(Mail.self).send("Receipt of \(event.order)")
    }
}

private final class Mail: Sendable {
    struct Refused: Error {}

    let sent = Notes()
    let refusesOrder = Mutex<String?>("7")

    func send(_ text: String) throws {
        if let order = refusesOrder.withLock(\.self), text.hasSuffix(order) { throw Refused() }
        sent.note(text)
    }
}

private struct AlertObserver: RelayObserver {
    let alert: @Sendable (String) -> Void

    func deadLettered(_ delivery: Delivery, reason: String) {
        alert("\(delivery.subscription): \(reason)")
    }
}

@Suite(.timeLimit(.minutes(2))) struct DeadLetterQueueTests {
    private let store: InMemoryStore
    private let mail = Mail()
    private let pager = Notes()
    private let journal = DeliveryJournal()
    private let registrar: DomainEventHandlerRegistrar

    init() throws {
        store = try InMemoryStore(entities: [Order.self])
        let services = ServiceLocator()
        services.register(mail)
        registrar = DomainEventHandlerRegistrar(resolver: services)
        registrar.register(SendReceipt.self)
    }

    private func makeRelay() -> Relay {
        var configuration = Relay.Configuration.withLongLeases
        configuration.maximumAttempts = 1
        return Relay(
            store: store,
            registrar: registrar,
            configuration: configuration,
            relayObservers: [AlertObserver { [pager] in pager.note($0) }, journal]
        )
    }

    private func pay(_ id: String) async throws {
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            let order = try await context.find(Order.self, id: id) ?? Order(id)
            context.insert(order)
            order.pay()
        }
    }

    @Test func aDeadLetterIsReplayedAfterTheRepair() async throws {
        try await pay("7")
        try await withRelay(makeRelay()) { await journal.wait("dead letter") }
        #expect(pager.all == ["receipts: Refused()"])

        let queue = DeadLetters(in: store)
        let letters = try await queue.page(of: "receipts")
        let lines = try await printed {
            for letter in letters {
                guard case .event(let record) = letter.content else { continue }
                print(record.event.name, letter.attempts, letter.reason)
            }
        }
        #expect(lines == ["order-paid 1 Refused()"])

        mail.refusesOrder.withLock { $0 = nil }
        let count = try await queue.replayAll(of: "receipts")
        #expect(count == 1)
        try await withRelay(makeRelay()) { await journal.wait("delivered") }
        #expect(mail.sent.all == ["Receipt of 7"])
        #expect(try await queue.page().isEmpty)
    }

    @Test func aCorrectedDeadLetterIsDeliveredWithItsNewContent() async throws {
        try await pay("7")
        let relay = makeRelay()
        try await withRelay(relay) { await journal.wait("dead letter") }
        let letter = try #require(try await DeadLetters(in: store).page().first)

        let letters = DeadLetters(in: store, relays: [relay])
        let corrected = Data(#"{"order": "8"}"#.utf8)
        try await letters.replay(letter.id, correctedTo: corrected, by: "anna")

        try await withRelay(makeRelay()) { await journal.wait("delivered") }
        #expect(mail.sent.all == ["Receipt of 8"])
        let log = try await store.events(after: 0, limit: 9).map(\.event)
        #expect(log.map(\.name) == ["order-paid", "headrace.operation"])
        #expect(log.map(\.origin.principalID) == [nil, "anna"])
    }

    @Test func laterEventsOfTheStreamComeBeforeAReplayedDeadLetter() async throws {
        try await pay("7")
        try await withRelay(makeRelay()) { await journal.wait("dead letter") }
        mail.refusesOrder.withLock { $0 = nil }
        try await pay("7")
        try await withRelay(makeRelay()) { await journal.wait("delivered") }
        #expect(mail.sent.all.count == 1)
        #expect(try await DeadLetters(in: store).page().count == 1)
    }

    @Test func aDeadLetterThatFailsAgainHasAGreaterID() async throws {
        try await pay("7")
        try await withRelay(makeRelay()) { await journal.wait("dead letter") }
        let queue = DeadLetters(in: store)
        let first = try #require(try await queue.page().first)

        try await queue.replay([first.id])
        try await withRelay(makeRelay()) { await journal.wait(for: 2, "dead letter") }

        let second = try #require(try await queue.page().first)
        #expect(second.id > first.id)
        #expect(second.attempts == 1)
    }

    @Test func aDiscardedDeadLetterIsStillInTheLog() async throws {
        try await pay("7")
        try await withRelay(makeRelay()) { await journal.wait("dead letter") }
        let queue = DeadLetters(in: store)

        let letters = try await queue.page()
        try await queue.discard(letters.map(\.id))

        #expect(try await queue.page().isEmpty)
        #expect(try await store.deliveryStatistics().deadLetterCount == 0)
        #expect(try await store.events(after: 0, limit: 9).count == 1)
        #expect(try await makeRelay().replay("receipts") == 1)
    }
}
