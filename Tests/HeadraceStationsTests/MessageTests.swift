// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceStations
import HeadraceTesting
import Synchronization
import Testing

@MainActor
@Suite(.timeLimit(.minutes(2))) struct MessageTests {
    @Test func observersAreNotifiedOfActionsAndTheirEffects() async throws {
        let observer = Recorder()
        let station = Station(initialState: Log.State(), observers: [observer]) { Log() }

        try await station.pour(.start("a", .run { pour in pour(.note("b")) })).finish()

        #expect(
            observer.lines == [
                "begin action", "end action success", "begin effect", "begin action", "end action success",
                "end effect success",
            ]
        )
    }

    @Test func theCausationChainGoesThroughActionsAndEffects() async throws {
        let observer = Recorder()
        let station = Station(initialState: Log.State(), observers: [observer]) { Log() }
        let seen = Mutex<[MessageContext?]>([])

        try await station.pour(
            .start(
                "a",
                .run { pour in
                    seen.withLock { $0.append(.current) }
                    pour(.start("b", .send(.start("c", .run { _ in seen.withLock { $0.append(.current) } }))))
                })
        ).finish()

        let contexts = observer.contexts
        try #require(contexts.count == 5)
        let (a, effect, b, c, last) = (contexts[0], contexts[1], contexts[2], contexts[3], contexts[4])
        #expect(a.causationID == nil)
        #expect(effect.causationID == a.id)
        #expect(b.causationID == effect.id)
        #expect(c.causationID == b.id)
        #expect(last.causationID == c.id)
        #expect(Set(contexts.map(\.correlationID)) == [a.id])
        #expect(seen.withLock { $0.map { $0?.id } } == [effect.id, last.id])
        #expect(ObjectIdentifier(effect.type) == ObjectIdentifier(EffectMessage<Log.Action>.self))
    }

    @Test func withoutObserversAnEffectIsTheCauseOfItsMessages() async throws {
        let station = Station(initialState: Log.State()) { Log() }
        let seen = Mutex<[MessageContext]>([])

        try await station.pour(
            .start(
                "a",
                .run { _ in
                    guard let current = MessageContext.current else { return }
                    seen.withLock { $0 = [current, MessageContext(kind: .command, type: Int.self)] }
                })
        ).finish()

        let contexts = seen.withLock(\.self)
        try #require(contexts.count == 2)
        #expect(contexts[0].kind == .effect)
        #expect(contexts[1].causationID == contexts[0].id)
    }

    @Test func middlewareIsCalledInwardsBeforeAndOutwardsAfterAnAction() {
        let calls = Mutex<[String]>([])
        let note: @Sendable (String) -> Void = { call in calls.withLock { $0.append(call) } }
        let station = Station(
            initialState: Log.State(),
            middleware: [Noting(name: "outer", note: note), Noting(name: "inner", note: note)]
        ) { Log() }

        station.pour(.note("a"))

        #expect(
            calls.withLock(\.self) == [
                "outer should", "inner should", "outer will", "inner will", "inner did", "outer did",
            ]
        )
        #expect(station.entries == ["a"])
    }

    @Test func aRefusedActionIsNotReducedAndItsTaskThrows() async throws {
        let observer = Recorder()
        let station = Station(
            initialState: Log.State(),
            middleware: [Refusing()],
            observers: [observer]
        ) { Log() }

        let error = await #expect(throws: MessageError.self) { try await station.pour(.note("a")).finish() }

        #expect(error?.code == .refused)
        #expect(station.entries == [])
        #expect(observer.lines == ["begin action", "end action failure"])
    }

    @Test func theOutermostMiddlewareThatRefusesIsNamedAndTheInnerOnesAreNotCalled() async throws {
        let calls = Mutex<[String]>([])
        let inner = Noting(name: "inner") { call in calls.withLock { $0.append(call) } }
        let station = Station(
            initialState: Log.State(),
            middleware: [Refusing(), inner, AlsoRefusing()]
        ) { Log() }

        let error = await #expect(throws: MessageError.self) { try await station.pour(.note("a")).finish() }

        #expect(error?.message.contains("refused by the middleware 'Refusing'") == true)
        #expect(calls.withLock(\.self) == [])
        #expect(station.entries == [])
    }

    @Test func anyMiddlewareMayRefuseAnEffect() async throws {
        let station = Station(initialState: Log.State(), middleware: [NoEffects()]) { Log() }

        await #expect(throws: EffectFailure(name: "no effects")) {
            try await station.pour(.start("a", .run { pour in pour(.note("b")) })).finish()
        }
        #expect(station.entries == ["a"])
    }

    @Test func observersAreNotifiedOfFailedEffects() async throws {
        let observer = Recorder()
        let station = Station(initialState: Log.State(), observers: [observer]) { Log() }

        _ = try? await station.pour(.start("a", .run { _ in throw EffectFailure() })).finish()

        #expect(observer.lines.last == "end effect failure")
    }
}

private final class Recorder: MessageObserver {
    private let calls = Mutex<[(line: String, context: MessageContext)]>([])

    var lines: [String] { calls.withLock { $0.map(\.line) } }
    var contexts: [MessageContext] { calls.withLock { $0.filter { $0.line.hasPrefix("begin") }.map(\.context) } }

    func messageBegan(_ context: MessageContext) {
        calls.withLock { $0.append(("begin \(context.kind)", context)) }
    }

    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {
        let word = if case .success = outcome { "success" } else { "failure" }
        calls.withLock { $0.append(("end \(context.kind) \(word)", context)) }
    }
}

private struct Noting: ActionMiddleware {
    let name: String
    let note: @Sendable (String) -> Void

    func shouldExecute<Message: Sendable>(_ message: Message, in context: MessageContext) -> Bool {
        note("\(name) should")
        return true
    }

    func willExecute<Message: Sendable>(_ message: Message, in context: MessageContext) { note("\(name) will") }

    func didExecute<Message: Sendable>(_ message: Message, in context: MessageContext, outcome: MessageOutcome) {
        note("\(name) did")
    }
}

private struct Refusing: ActionMiddleware {
    func shouldExecute<Message: Sendable>(_ message: Message, in context: MessageContext) -> Bool { false }
}

private struct AlsoRefusing: ActionMiddleware {
    func shouldExecute<Message: Sendable>(_ message: Message, in context: MessageContext) -> Bool { false }
}

private struct NoEffects: Middleware {
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        if context.kind == .effect { throw EffectFailure(name: "no effects") }
        return try await next(message)
    }
}
