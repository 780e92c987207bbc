// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceServices
import HeadraceTesting
import InMemoryLogging
import Logging
import Testing

/// A sequence that fails after its actions.
private struct FailingSequence: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: ArraySlice<Ping>

        mutating func next() async throws -> Ping? {
            guard let ping = rest.popFirst() else { throw TestFailure("stream failed") }
            return ping
        }
    }

    var actions: [Ping]

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: actions[...]) }
}

/// The `emit` modifiers.
@Suite(.timeLimit(.minutes(2))) struct EmitterTests {
    private let journal = Journal()

    /// Records the number of each ping, and throws for the refused numbers.
    private func numbers(throwing refused: Set<Int> = []) -> some Service {
        Store(model: Journal.self)
            .mutate(on: Ping.self) { journal, action, _ in
                journal.note("\(action.number)")
                if refused.contains(action.number) { throw TestFailure("\(action.number) refused") }
            }
            .with(model: journal)
    }

    private func pings(_ numbers: [Int]) -> AsyncStream<Ping> {
        AsyncStream { continuation in
            for number in numbers { continuation.yield(Ping(number: number)) }
            continuation.finish()
        }
    }

    @Test func onlyTheServicesUnderAnEmitterHandleItsActionsInOrder() async throws {
        let elsewhere = Journal()
        let cluster = try await Bootstrap {
            numbers()
                .emit(using: pings(Array(0..<100)))
            Leaf("elsewhere", elsewhere)
        }

        await journal.reaches(100)

        #expect(journal.entries == (0..<100).map { "\($0)" })
        #expect(elsewhere.entries.isEmpty)
        withExtendedLifetime(cluster) {}
    }

    @Test func theNextActionIsRequestedAfterThePreviousActionIsHandled() async throws {
        let gate = Gate()
        let journal = journal
        let cluster = try await Bootstrap {
            numbers()
                .pre { _ in await gate.pass() }
                .emit {
                    journal.note("made")
                    return AsyncStream<Ping> {
                        journal.note("asked")
                        return Ping(number: 7)
                    }
                }
        }

        await gate.arrivals(1)
        #expect(journal.entries == ["made", "asked"])
        gate.open()
        await journal.reaches(5)

        #expect(journal.entries.prefix(5) == ["made", "asked", "7", "asked", "7"])
        withExtendedLifetime(cluster) {}
    }

    @Test func aSequenceMayContainActionsOfSeveralTypes() async throws {
        let journal = journal
        let stream = AsyncStream<any Action> { continuation in
            continuation.yield(Ping(number: 1))
            continuation.yield(Pong(number: 2))
            continuation.finish()
        }
        let cluster = try await Bootstrap {
            numbers()
                .observe(on: Pong.self) { journal.note("pong \($0.number)") }
                .emit(using: stream)
        }

        await journal.reaches(2)

        #expect(journal.entries == ["1", "pong 2"])
        withExtendedLifetime(cluster) {}
    }

    @Test func aSequenceMayBeConsumedAtBootstrap() async throws {
        let journal = journal
        let cluster = try await Bootstrap {
            numbers()
                .bootstrap { journal.note("bootstrap") }
                .emit(using: pings([1, 2, 3]), consumeAtBootstrap: true)
                .bootstrap { journal.note("outer bootstrap") }
        }

        #expect(journal.entries == ["bootstrap", "outer bootstrap", "1", "2", "3"])
        try await cluster.send(action: Ping(number: 4))
        #expect(journal.entries.last == "4")
    }

    @Test func anErrorOfASequenceConsumedAtBootstrapIsThrown() async throws {
        await #expect(throws: TestFailure("2 refused")) {
            _ = try await Bootstrap {
                numbers(throwing: [2]).emit(using: pings([1, 2, 3]), consumeAtBootstrap: true)
            }
        }
        await #expect(throws: TestFailure("stream failed")) {
            _ = try await Bootstrap {
                numbers().emit(using: FailingSequence(actions: [Ping(number: 4)]), consumeAtBootstrap: true)
            }
        }

        #expect(journal.entries == ["1", "2", "4"])
    }

    @Test func anErrorOfAnEmittedActionIsLoggedAndTheEmitterContinues() async throws {
        let handler = InMemoryLogHandler()
        try await withLogger(Logger(label: "test", factory: { _ in handler })) { _ in
            let cluster = try await Bootstrap {
                numbers(throwing: [1]).emit(using: pings([1, 2]))
            }
            await journal.reaches(2)
            await cluster.shutDown()
        }

        #expect(journal.entries == ["1", "2"])
        #expect(handler.entries.map(\.message.description) == ["An emitted action failed."])
        #expect(handler.entries.first?.metadata["error"]?.description == "1 refused")
    }

    @Test func anErrorIsTransformedByATransformAroundTheEmitter() async throws {
        let journal = journal
        let cluster = try await Bootstrap {
            numbers(throwing: [1])
                .emit(using: FailingSequence(actions: [Ping(number: 1), Ping(number: 2)]))
                .transformError { Recovery(name: "\($0)") }
                .observe(on: Recovery.self) { journal.note("recovered from \($0.name)") }
        }

        await journal.reaches(4)

        #expect(journal.entries == ["1", "recovered from 1 refused", "2", "recovered from stream failed"])
        withExtendedLifetime(cluster) {}
    }

    @Test func theModifiersAroundAnEmitterApplyToItsActions() async throws {
        let journal = journal
        let elsewhere = Journal()
        let cluster = try await Bootstrap {
            Group {
                numbers()
                    .emit(using: pings([1]), consumeAtBootstrap: true)
                Leaf("elsewhere", elsewhere)
                    .observe { _ in elsewhere.note("observed") }
            }
            .pre { journal.note("pre \($0)") }
            .observe(on: Ping.self) { journal.note("observed \($0.number)") }
            .observe(on: Pong.self) { journal.note("pong \($0.number)") }
            .post(on: Ping.self) { (action: Ping) in journal.note("post \(action.number)") }
        }

        #expect(journal.entries == ["pre Ping(number: 1)", "1", "observed 1", "post 1"])
        #expect(elsewhere.entries.isEmpty)
        withExtendedLifetime(cluster) {}
    }

    @Test func anErrorOfAPreAroundAnEmitterSkipsTheServices() async throws {
        await #expect(throws: TestFailure("refused")) {
            _ = try await Bootstrap {
                Group { numbers().emit(using: pings([1]), consumeAtBootstrap: true) }
                    .pre { _ in throw TestFailure("refused") }
            }
        }

        #expect(journal.entries.isEmpty)
    }

    @Test func anErrorIsTransformedBetweenTheInterceptorsAroundTheTransform() async throws {
        let journal = journal
        @Sendable func note(_ place: String, _ outcome: MessageOutcome) {
            if case .success = outcome { journal.note("\(place): success") } else { journal.note("\(place): failure") }
        }
        let cluster = try await Bootstrap {
            numbers(throwing: [1])
                .emit(using: pings([1]), consumeAtBootstrap: true)
                .post(on: Ping.self) { _, outcome in note("inside", outcome) }
                .transformError { Recovery(name: "\($0)") }
                .post(on: Ping.self) { _, outcome in note("outside", outcome) }
        }

        #expect(journal.entries == ["1", "inside: failure", "outside: success"])
        withExtendedLifetime(cluster) {}
    }

    @Test func eachOfSeveralErrorsOfAnEmittedActionBecomesAnAction() async throws {
        let journal = journal
        let cluster = try await Bootstrap {
            Group {
                Leaf("a", Journal(), throwing: TestFailure("first"))
                Leaf("b", Journal(), throwing: TestFailure("second"))
            }
            .emit(using: pings([1]), consumeAtBootstrap: true)
            .transformError { Recovery(name: "\($0)") }
            .observe(on: Recovery.self) { journal.note($0.name) }
        }

        #expect(journal.entries == ["first", "second"])
        withExtendedLifetime(cluster) {}
    }

    @Test func anObserverAroundAnEmitterCountsAsAHandlerOfItsActions() async throws {
        let cluster = try await Bootstrap {
            numbers()
                .emit(using: AsyncStream<Unheard> { $0.finish() })
                .observe(on: Unheard.self) {}
        }

        try cluster.validate()
    }

    @Test func anErrorOfASequenceIsLoggedAndEndsTheRun() async throws {
        let handler = InMemoryLogHandler()
        try await withLogger(Logger(label: "test", factory: { _ in handler })) { _ in
            let cluster = try await Bootstrap {
                numbers().emit(using: FailingSequence(actions: [Ping(number: 1)]))
            }
            await #expect(throws: TestFailure("stream failed")) { try await cluster.run() }
            try await cluster.send(action: Ping(number: 2))
        }

        #expect(journal.entries == ["1", "2"])
        #expect(
            handler.entries.map(\.message.description) == [
                "The sequence of an emitter failed, and the emitter ended."
            ]
        )
    }

    @Test func byDefaultTheIntervalPassesOnTheCurrentClock() async throws {
        let clock = TestClock()
        try await SystemValues.withCurrent(.test(clock: clock)) {
            let cluster = try await Bootstrap { numbers().emit(every: .seconds(60)) { Ping(number: 9) } }
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(60))
            await journal.reaches(1)
            withExtendedLifetime(cluster) {}
        }
    }

    @Test func anEmitterSendsAnActionAfterEachIntervalOfItsClock() async throws {
        let clock = TestClock()
        let cluster = try await Bootstrap {
            numbers().emit(every: .seconds(60), on: clock) { Ping(number: 9) }
        }

        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(59))
        #expect(journal.entries.isEmpty)
        for count in 1...3 {
            clock.advance(by: .seconds(count == 1 ? 1 : 60))
            await journal.reaches(count)
            await clock.waitForSleepers(1)
        }

        #expect(journal.entries == ["9", "9", "9"])
        withExtendedLifetime(cluster) {}
    }

    @Test func shuttingDownHandlesBufferedElementsWithoutCancellation() async throws {
        let gate = Gate()
        let journal = journal
        let (stream, continuation) = AsyncStream.makeStream(of: Ping.self)
        let cluster = try await Bootstrap {
            Store(model: Journal.self)
                .mutate(on: Ping.self) { journal, action, _ in
                    await gate.pass()
                    journal.note("\(action.number) \(Task.isCancelled ? "cancelled" : "handled")")
                }
                .with(model: journal)
                .emit(using: stream)
        }
        for number in 1...3 { continuation.yield(Ping(number: number)) }
        await gate.arrivals(1)

        async let end: Void = cluster.shutDown()
        gate.open()
        await end

        #expect(journal.entries == ["1 handled", "2 handled", "3 handled"])
    }

    @Test func outerEmittersAreDrainedFirst() async throws {
        let journal = journal
        func sequence(_ name: String) -> AsyncStream<Ping> {
            let (stream, continuation) = AsyncStream.makeStream(of: Ping.self)
            continuation.onTermination = { _ in journal.note("\(name) ended") }
            return stream
        }
        let cluster = try await Bootstrap {
            Group {
                numbers().emit(using: sequence("inner"))
            }
            .emit(using: sequence("outer"))
        }

        await cluster.shutDown()

        #expect(journal.entries == ["outer ended", "inner ended"])
    }
}
