// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

private struct SendReminder: CQDCommand, DurableCommand, Equatable {
    static let commandName = "send-reminder"
    var customerId: Int
}

private struct InvoicePaid: DurableDomainEvent {
    static let eventName = "invoice-paid"
    var invoice: String
}

private struct PrintReceipt: DurableDomainEventHandler {
    static let subscriptionName = "receipts"

    static func handle(event: InvoicePaid, resolver: any DependencyResolver) async throws {
        try resolver.require(Printer.self).print("Receipt for \(event.invoice)")
    }
}

private struct Printer: Sendable {
    let print: @Sendable (String) -> Void
}

private final class Invoice: StoredEntity {
    static let entityName = "invoice"

    let id: String
    var raisedEvents = RaisedEvents()

    init(id: String) {
        self.id = id
    }

    func pay() {
        raiseEvent(InvoicePaid(invoice: id))
    }
}

@Suite(.timeLimit(.minutes(1))) struct TestingTimeTests {
    @Test func aReminderIsSentAfter15Minutes() async throws {
        let clock = TestClock()
        let store = try InMemoryStore(entities: [])
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        let relay = Relay(store: store, registrar: registrar, clock: clock, wallClock: { clock.date })
        let sent = Mutex<SendReminder?>(nil)
        relay.carryOut(SendReminder.self) { reminder in sent.withLock { $0 = reminder } }

        let due = clock.date.addingTimeInterval(15 * 60)
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            _ = try context.schedule(SendReminder(customerId: 7), at: due)
        }
        async let running: Void = relay.run()
        while sent.withLock({ $0 == nil }) {
            await clock.waitForSleepers(2)  // the next check for due messages, and the next clean-up
            clock.advance(by: .seconds(1))
        }

        #expect(sent.withLock(\.self) == SendReminder(customerId: 7))
        #expect(clock.date >= due)
        relay.shutDown()
        try await running
    }

    @Test func aTestWaitsForTheRelay() async throws {
        let store = try InMemoryStore(entities: [Invoice.self])
        let services = ServiceLocator()
        let (receipts, printed) = AsyncStream<String>.makeStream()
        services.register(Printer { printed.yield($0) })
        let registrar = DomainEventHandlerRegistrar(resolver: services)
        registrar.register(PrintReceipt.self)
        let relay = Relay(store: store, registrar: registrar)

        async let running: Void = relay.run()
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            let invoice = Invoice(id: "7")
            context.insert(invoice)
            invoice.pay()
        }

        #expect(await receipts.first { _ in true } == "Receipt for 7")
        relay.shutDown()
        try await running  // the acknowledgement is stored
        #expect(try await store.deliveryStatistics().pendingCount == 0)
    }
}
