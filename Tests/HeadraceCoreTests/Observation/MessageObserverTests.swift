// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceTesting
import MiddlewareTestSupport
import Synchronization
import Testing

@Suite struct MessageObserverTests {
    private let clock = CountingClock()
    private let observer = Recorder()

    @Test func anObserverReceivesTheMessage() async throws {
        let chain = MiddlewareChain(observers: [observer])

        try await chain.run(Ping(secret: "one"), kind: .command) { _ in }

        #expect(observer.lines == ["command Ping(secret: \"one\")", "command success"])
    }

    @Test func anObserverWithoutTheMessageMethodReceivesTheContext() async throws {
        let plain = Plain()
        let chain = MiddlewareChain(observers: [plain])

        try await chain.run(Ping(), kind: .query) { _ in }

        #expect(plain.journal.entries == ["began query", "ended query"])
    }

    @Test func withoutAListeningObserverNothingIsNotifiedAndNoClockIsRead() async throws {
        observer.isListening = false
        let chain = MiddlewareChain(observers: [observer], clock: clock)

        let answer = try await chain.run(Ping(), kind: .command) { _ in MessageContext.current?.kind }

        #expect(answer == .command)
        #expect(observer.lines.isEmpty)
        #expect(clock.asked == 0)
    }

    @Test func anObserverOfTheBeginIsNotifiedOfTheEndEvenIfItStoppedListening() async throws {
        let chain = MiddlewareChain(observers: [observer])

        try await chain.run(Pong(), kind: .command) { [observer] _ in observer.isListening = false }

        #expect(observer.lines == ["command Pong()", "command success"])
    }

    // MARK: Root messages

    @Test func messagesOfARootMessagesHandlerAreCausedByIt() async throws {
        let chain = MiddlewareChain(observers: [observer])

        let ids = try await withRootMessage(Ping(secret: "GET /"), observers: [observer]) { _ in
            let request = MessageContext.current
            return try await chain.run(Pong(), kind: .command) { _ in (request, MessageContext.current) }
        }

        #expect(ids.0?.kind == .request)
        #expect(ids.1?.causationID == ids.0?.id)
        #expect(ids.1?.correlationID == ids.0?.id)
        #expect(
            observer.lines == [
                "request Ping(secret: \"GET /\")", "command Pong()", "command success", "request success",
            ]
        )
    }

    @Test func theErrorOfARootMessageIsThrownUnwrapped() async throws {
        await #expect(throws: Failure()) {
            try await withRootMessage(Ping(), observers: [observer]) { _ in throw Failure() }
        }

        #expect(observer.lines.last == "request MiddlewareTestSupport.Failure")
    }

    @Test @MainActor func theHandlerOfARootMessageStaysOnTheActorOfTheCaller() async throws {
        try await withRootMessage(Ping(), observers: [observer]) { _ in MainActor.assertIsolated() }
    }

    // MARK: Stages

    @Test func stagesAreNestedWithinTheirMessage() async throws {
        let chain = MiddlewareChain(observers: [observer])
        let observers: [any MessageObserver] = [observer]

        try await chain.run(Ping(), kind: .command) { _ in
            try await MessageStage.run(.unitOfWork, observers: observers) {
                try await MessageStage.run(.handler, type: Pong.self, observers: observers) {}
            }
        }

        let stages = observer.stages
        #expect(stages.map(\.kind) == [.unitOfWork, .handler])
        try #require(stages.count == 2)
        #expect(stages[0].parentID == nil)
        #expect(stages[1].parentID == stages[0].id)
        #expect(stages.allSatisfy { $0.message?.kind == .command })
    }

    @Test func aNestedMessageHasASeparateTreeOfStages() async throws {
        let chain = MiddlewareChain(observers: [observer])
        let observers: [any MessageObserver] = [observer]

        try await chain.run(Ping(), kind: .command) { _ in
            try await MessageStage.run(.unitOfWork, observers: observers) {
                try await chain.run(Pong(), kind: .command) { _ in
                    #expect(MessageStage.current?.message?.id == MessageContext.current?.causationID)
                    try await MessageStage.run(.unitOfWork, observers: observers) {}
                }
            }
        }

        #expect(observer.stages.map(\.parentID) == [nil, nil])
        #expect(Set(observer.stages.compactMap { $0.message?.id }).count == 2)
    }

    @Test func byDefaultDurationsAreThoseOfTheCurrentClock() async throws {
        let (clock, durations) = (TestClock(), Durations())
        try await SystemValues.withCurrent(.test(clock: clock)) {
            try await withRootMessage(Ping(), observers: [durations]) { _ in
                try await MessageStage.run(.handler, observers: [durations]) { clock.advance(by: .seconds(3)) }
                clock.advance(by: .seconds(4))
            }
        }

        #expect(durations.all == [.seconds(3), .seconds(7)])
    }

    @Test func aStageIsNotTheCauseOfMessages() async throws {
        let chain = MiddlewareChain(observers: [observer])

        try await chain.run(Ping(), kind: .command) { [observer] _ in
            let before = MessageContext.current?.id
            try await MessageStage.run(.unitOfWork, observers: [observer]) {
                #expect(MessageContext.current?.id == before)
            }
        }
    }

    @Test func observersAreNotifiedOfAFailedStageAndItsErrorIsThrown() async throws {
        await #expect(throws: Failure()) {
            try await MessageStage.run(.commit, observers: [observer]) { throw Failure() }
        }

        #expect(observer.lines == ["commit begins", "commit MiddlewareTestSupport.Failure"])
    }

    @Test func withoutAListeningObserverThereIsNoStage() async throws {
        observer.isListening = false

        try await MessageStage.run(.unitOfWork, observers: [observer]) { #expect(MessageStage.current == nil) }

        #expect(observer.lines.isEmpty)
    }

    @Test @MainActor func aStageStaysOnTheActorOfTheCaller() async throws {
        try await MessageStage.run(.handler, observers: [observer]) { MainActor.assertIsolated() }
    }
}

/// Implements only the methods without the message.
private struct Plain: MessageObserver {
    let journal = Journal()

    func messageBegan(_ context: MessageContext) { journal.note("began \(context.kind)") }

    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {
        journal.note("ended \(context.kind)")
    }
}

private final class Recorder: MessageObserver {
    private struct State {
        var isListening = true
        var lines: [String] = []
        var stages: [MessageStage] = []
    }

    private let state = Mutex(State())

    var lines: [String] { state.withLock { $0.lines } }
    var stages: [MessageStage] { state.withLock { $0.stages } }

    var isListening: Bool {
        get { state.withLock { $0.isListening } }
        set { state.withLock { $0.isListening = newValue } }
    }

    private func note(_ line: String) { state.withLock { $0.lines.append(line) } }

    func messageBegan(_ context: MessageContext) { note("\(context.kind) without a message") }

    func messageBegan<Message: Sendable>(_ message: Message, in context: MessageContext) {
        var text = "\(message)"
        text.replace("HeadraceCoreTests.", with: "")
        note("\(context.kind) \(text)")
    }

    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {
        note("\(context.kind) \(outcome.code)")
    }

    func stageBegan(_ stage: MessageStage) {
        state.withLock { $0.stages.append(stage) }
        note("\(stage.kind) begins")
    }

    func stageEnded(_ stage: MessageStage, outcome: MessageOutcome, after duration: Duration) {
        note("\(stage.kind) \(outcome.code)")
    }
}

/// A clock that counts how often its time is read.
private final class CountingClock: TimeSource {
    private let count = Mutex(0)

    var asked: Int { count.withLock { $0 } }

    var now: ContinuousClock.Instant {
        count.withLock { $0 += 1 }
        return .now
    }

    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        throw CancellationError()
    }
}

/// Records the durations of messages and stages.
private final class Durations: MessageObserver {
    private let durations = Mutex<[Duration]>([])

    var all: [Duration] { durations.withLock(\.self) }

    func messageBegan(_ context: MessageContext) {}

    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {
        durations.withLock { $0.append(duration) }
    }

    func stageEnded(_ stage: MessageStage, outcome: MessageOutcome, after duration: Duration) {
        durations.withLock { $0.append(duration) }
    }
}
