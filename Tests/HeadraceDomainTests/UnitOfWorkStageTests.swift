// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import HeadraceCore
import HeadraceDomain
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

/// Tests the stages of a unit of work that observers receive.
@Suite(.timeLimit(.minutes(2))) struct UnitOfWorkStageTests {
    private let store: InMemoryStore
    private let observer = Stages()
    private let registrar: DomainEventHandlerRegistrar

    init() throws {
        store = try InMemoryStore(entities: [Customer.self])
        registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator(), observers: [observer])
        registrar.register(Check.self)
        registrar.register(Tell.self)
    }

    private nonisolated(nonsending) func note(_ text: String) async throws {
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            let customer = Customer(text)
            context.insert(customer)
            customer.raiseEvent(Noted(text))
        }
    }

    @Test func observersReceiveNestedStages() async throws {
        try await note("a")

        #expect(
            observer.lines == [
                "unit of work in nothing", "event Noted in unit of work", "handler Check in event", "handler success",
                "event success", "commit in unit of work", "commit success", "handler Tell in unit of work",
                "handler success", "unit of work success",
            ]
        )
        #expect(observer.events == ["a"])
    }

    @Test func aFailingHandlerEndsAllEnclosingStages() async throws {
        await #expect(throws: Refusal()) { try await note("refused") }

        let code = "HeadraceDomainTests.Refusal"
        #expect(
            observer.lines == [
                "unit of work in nothing", "event Noted in unit of work", "handler Check in event",
                "handler \(code)", "event \(code)", "unit of work \(code)",
            ]
        )
    }

    @Test func aJoinedUnitOfWorkIsNoSeparateStage() async throws {
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { _ in try await note("a") }

        #expect(observer.lines.count { $0.hasPrefix("unit of work in") } == 1)
        #expect(observer.lines.count { $0.hasPrefix("commit in") } == 1)
    }

    @Test func observersDoNotChangeTheCommit() async throws {
        var origins: [MessageOrigin] = []
        for isListening in [false, true] {
            observer.isListening = isListening
            let (origin, context) = try await MiddlewareChain(observers: [observer]).run(Add(), kind: .command) { _ in
                try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { _ in
                    (MessageOrigin.current, MessageContext.current)
                }
            }
            #expect(origin.causationID == context?.id)
            origins.append(origin)
        }
        #expect(origins.count == 2)
    }

    @Test @MainActor func everyStageStaysOnTheActorOfTheCaller() async throws {
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            MainActor.assertIsolated()
            let customer = Customer("main")
            context.insert(customer)
            customer.raiseEvent(Noted("main"))
        }

        #expect(observer.events == ["main"])
    }
}

private struct Add: Sendable {}

private struct Refusal: Error, Equatable {}

private struct Check: DomainEventHandler {
    static func handle(event: Noted, resolver: any DependencyResolver) async throws {
        if event.text == "refused" { throw Refusal() }
        if event.text == "main" { MainActor.assertIsolated() }
    }
}

private struct Tell: DomainEventHandler {
    static let isPostCommit = true

    static func handle(event: Noted, resolver: any DependencyResolver) async throws {
        if event.text == "main" { MainActor.assertIsolated() }
    }
}

private final class Stages: MessageObserver {
    private struct State {
        var isListening = true
        var lines: [String] = []
        var events: [String] = []
        var kinds: [UInt64: MessageStage.Kind] = [:]
    }

    private let state = Mutex(State())

    var lines: [String] { state.withLock { $0.lines } }
    var events: [String] { state.withLock { $0.events } }

    var isListening: Bool {
        get { state.withLock { $0.isListening } }
        set { state.withLock { $0.isListening = newValue } }
    }

    func messageBegan(_ context: MessageContext) {}

    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {}

    func stageBegan(_ stage: MessageStage) {
        state.withLock { state in
            let parent = stage.parentID.flatMap { state.kinds[$0] }
            state.kinds[stage.id] = stage.kind
            let type = stage.type.map { " \($0)" } ?? ""
            state.lines.append("\(stage.kind)\(type) in \(parent?.description ?? "nothing")")
            if let event = stage.event as? Noted { state.events.append(event.text) }
        }
    }

    func stageEnded(_ stage: MessageStage, outcome: MessageOutcome, after duration: Duration) {
        state.withLock { $0.lines.append("\(stage.kind) \(outcome.code)") }
    }
}
