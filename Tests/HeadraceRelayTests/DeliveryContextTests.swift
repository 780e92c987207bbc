// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import InMemoryLogging
import InMemoryTracing
import Logging
import Testing
import Tracing

/// Tests the delivery context of handlers, and the reports of a registrar about subscriptions.
@Suite(.timeLimit(.minutes(2))) struct DeliveryContextTests {
    private let bench: RelayBench

    init() throws {
        bench = try RelayBench()
        bench.registrar.register(Mail.self)
    }

    @Test func causationCorrelationAndPrincipalAreRestoredAroundTheHandler() async throws {
        struct User: Principal {
            let principalID = "ada"
        }
        let desk = bench.desk
        desk.script { _, _ in
            let context = MessageContext.current
            desk.note("cause \(context?.causationID?.uuidString ?? "")")
            desk.note("chain \(context?.correlationID.uuidString ?? "")")
            desk.note("id \(context?.id.uuidString ?? "")")
            desk.note("for \(context?.principal?.principalID ?? "")")
            desk.note("kind \(context?.kind.description ?? "") attempt \(context?.attempt ?? 0)")
            let caused = MessageContext(kind: .command, type: Int.self)
            desk.note("causes \(caused.causationID?.uuidString ?? "")")
            desk.note("sends for \(caused.principal?.principalID ?? "")")
        }
        let message = MessageContext(kind: .command, type: Int.self)
        try await MessageContext.withPrincipal(User()) {
            try await MessageContext.withCurrent(message) { try await bench.deposit(5) }
        }
        let event = try #require(try await bench.store.events(after: 0, limit: 1).first?.event)

        try await withRelay(bench.relay()) { await desk.wait(for: 1, "delivered") }

        #expect(
            desk.lines.prefix(7) == [
                "cause \(message.id.uuidString)", "chain \(message.correlationID.uuidString)",
                "id \(event.id.uuidString)", "for ada", "kind event attempt 1", "causes \(event.id.uuidString)",
                "sends for ada",
            ]
        )
    }

    @Test func theTraceContinuesInTheHandler() async throws {
        let tracer = Self.tracer
        let desk = bench.desk
        desk.script { _, _ in tracer.withSpan("handle") { _ in } }
        try await tracer.withSpan("deposit") { _ in try await bench.deposit(5) }

        try await withRelay(bench.relay()) { await desk.wait(for: 1, "delivered") }

        let deposit = try #require(tracer.finishedSpans.last { $0.operationName == "deposit" })
        let handling = try #require(tracer.finishedSpans.last { $0.operationName == "handle" })
        #expect(handling.spanContext.traceID == deposit.spanContext.traceID)
        #expect(handling.spanContext.parentSpanID == deposit.spanContext.spanID)
    }

    /// The tracer of the whole process; tests without spans record nothing in it.
    private static let tracer = {
        let tracer = InMemoryTracer()
        InstrumentationSystem.bootstrap(tracer)
        return tracer
    }()

    @Test func aReplayReachesOnlyItsSubscriptionAndIsMarked() async throws {
        bench.registrar.register(Book.self)
        let desk = bench.desk
        desk.script { subscription, event in
            let delivery = DeliveryContext.current
            desk.note("\(delivery?.subscription ?? "") replay \(delivery?.isReplay ?? false) \(event.amount)")
        }
        try await bench.deposit(1, 2, 3)
        try await withRelay(bench.relay()) { await desk.wait(for: 6, "delivered") }
        let before = desk.lines.count
        let first = try #require(try await bench.store.events(after: 0, limit: 1).first?.position)

        let relay = bench.relay()
        #expect(try await relay.replay("mail", after: first) == 2)
        try await withRelay(relay) { await desk.wait(for: 8, "delivered") }

        #expect(
            desk.lines.dropFirst(before) == [
                "mail replay true 2", "mail 2", "delivered mail", "mail replay true 3", "mail 3", "delivered mail",
            ]
        )
        #expect(try await bench.balance("a") == 6)
        let error = await #expect(throws: RelayError.self) { try await bench.relay().replay("other") }
        #expect(error?.code == .unknownSubscription)
    }

    @Test func unknownAndUndecodableEventsAreDeadLettersWithReasons() async throws {
        var changes = ChangeSet()
        for (index, name) in ["unheard-of", "deposited"].enumerated() {
            changes.events.append(
                NewEvent(
                    id: .version7(),
                    name: name,
                    version: 1,
                    stream: nil,
                    recordedAt: Date(),
                    json: Data("{}".utf8)
                )
            )
            changes.deliveries.append(ChangeSet.NewDelivery(event: index, subscription: "mail"))
        }
        try await bench.store.commit(changes)

        try await withRelay(bench.relay { $0.unknownEventGrace = .zero }) { await bench.desk.wait(for: 2, "dead") }

        let reasons = try await DeadLetters(in: bench.store).page().map(\.reason).sorted()
        #expect(reasons.count == 2)
        #expect(reasons.first?.hasPrefix("'deposited', stored with version 1, does not decode") == true)
        #expect(reasons.last?.hasPrefix("No type of event with the name 'unheard-of'") == true)
    }

    @Test func aDurableEventsHandlerWithoutASubscriptionIsLoggedAndRunsInProcess() async throws {
        let log = InMemoryLogHandler()
        var logger = Logger(label: "test", factory: { _ in log })
        logger.logLevel = .debug
        try await withLogger(logger) { _ in
            for _ in 1...2 { bench.registrar.register(InProcess.self) }
            try await bench.deposit(5)
        }

        #expect(log.entries.map(\.level) == [.debug])
        #expect("\(log.entries[0].message)".contains("InProcess' handles 'deposited' after the commit, and misses it"))
        #expect(bench.desk.lines == ["in process 5"])
    }

    @Test func invalidSubscriptionsPreventTheRelayFromStarting() async throws {
        for _ in 1...2 {
            bench.registrar.register(MailAgain.self)
            bench.registrar.register(Early.self)
            bench.registrar.register(Reserved.self)
        }

        let error = await #expect(throws: EventError.self) { try await bench.relay().run() }

        #expect(error?.code == .invalidSubscriptions)
        let lines = error?.message.split(separator: "\n").map(String.init) ?? []
        #expect(lines.count == 3)
        for (line, text) in zip(
            lines,
            ["both have the subscriptionName 'mail' for 'deposited'", "runs before the commit", "reserved or empty"]
        ) {
            #expect(line.contains(text))
            #expect(line.contains("To fix, "))
        }
    }
}

private struct InProcess: DomainEventHandler {
    static let isPostCommit = true

    static func handle(event: Deposited, resolver: any DependencyResolver) async throws {
        resolver.resolve(Desk.self).note("in process \(event.amount)")
    }
}

private struct MailAgain: DurableDomainEventHandler {
    static let subscriptionName = "mail"

    static func handle(event: Deposited, resolver: any DependencyResolver) async throws {}
}

private struct Early: DurableDomainEventHandler {
    static let isPostCommit = false
    static let subscriptionName = "early"

    static func handle(event: Deposited, resolver: any DependencyResolver) async throws {}
}

private struct Reserved: DurableDomainEventHandler {
    static let subscriptionName = ScheduledMessage.subscription

    static func handle(event: Deposited, resolver: any DependencyResolver) async throws {}
}
