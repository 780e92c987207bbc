// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceTesting
import MiddlewareTestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct TimeoutMiddlewareTests {
    private let clock = TestClock()
    private let handling: Handling

    init() {
        handling = Handling(TimeoutMiddleware(.seconds(5), clock: clock), clock: clock)
    }

    @Test func anOutputInTimeIsReturnedAndTheAlarmIsCancelled() async throws {
        #expect(try await handling.handle { _ in 1 } == 1)
        #expect(clock.remainingSleeps.isEmpty)
    }

    @Test func byDefaultTheTimeoutPassesOnTheCurrentClock() async throws {
        let handling = Handling(TimeoutMiddleware(.seconds(5)), clock: clock)
        try await SystemValues.withCurrent(.test(clock: clock)) {
            let task = Task { try await handling.handle { _ in await untilCancelled() } }
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(5))

            await #expect(throws: TimeoutError.self) { try await task.value }
        }
    }

    @Test func onTheClockOfTheSystemTheHandlerIsCancelledToo() async throws {
        let handling = Handling(TimeoutMiddleware(.milliseconds(1), clock: ContinuousClock()), clock: clock)

        await #expect(throws: TimeoutError.self) { try await handling.handle { _ in await untilCancelled() } }
    }

    @Test func aHandlersErrorPassesThroughUnwrapped() async throws {
        await #expect(throws: Failure()) { try await handling.handle { _ in throw Failure() } }
        #expect(clock.remainingSleeps.isEmpty)
    }

    @Test func theErrorIsThrownAfterTheCancelledHandlerHasEnded() async throws {
        let (handling, journal) = (handling, Journal())
        let task = Task {
            try await handling.handle { _ in
                await untilCancelled()
                journal.note("handler ends")
                try Task.checkCancellation()
            }
        }

        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5) - clock.minimumResolution)
        #expect(journal.entries.isEmpty)
        clock.advance(by: clock.minimumResolution)

        let error = try await #require(throws: TimeoutError.self) { try await task.value }
        #expect(journal.entries == ["handler ends"])
        #expect(error.code == .timedOut)
        #expect(error.cause is CancellationError)
        #expect(error.isRetryable)
        #expect(error.limit == .seconds(5))
        #expect(error.messageType == "MiddlewareTestSupport.Ping")
        #expect(error.description.hasPrefix("Handling 'MiddlewareTestSupport.Ping' took longer than 5.0 seconds"))
    }

    @Test func theTimeoutWaitsForAHandlerThatIgnoresCancellationAndReportsItsSuccess() async throws {
        let (clock, handling, gate, journal) = (clock, handling, Gate(), Journal())
        let task = Task {
            try await handling.handle { _ in
                await untilCancelled()
                await gate.pass()
                journal.note("handler ends")
            }
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        await gate.arrivals(1)

        #expect(journal.entries.isEmpty)
        gate.open()

        let error = try await #require(throws: TimeoutError.self) { try await task.value }
        #expect(journal.entries == ["handler ends"])
        #expect(error.code == .finishedLate)
        #expect(error.cause == nil)
        #expect(!error.isRetryable)
    }

    @Test(arguments: [(Failure() as any Error, false), (Outage(), true), (Outage(isRetryable: false), false)])
    func anErrorThatComesTooLateIsTheCause(late: any Error, isRetryable: Bool) async throws {
        let handling = handling
        let task = Task {
            try await handling.handle { _ in
                await untilCancelled()
                throw late
            }
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))

        let error = try await #require(throws: TimeoutError.self) { try await task.value }

        #expect(error.cause.map { type(of: $0) == type(of: late) } == true)
        #expect(error.isRetryable == isRetryable)
    }

    @Test func cancellingTheCallerCancelsTheHandlerWithoutATimeoutError() async throws {
        let (handling, gate) = (handling, Gate())
        let task = Task {
            try await handling.handle { _ in
                gate.open()
                await untilCancelled()
                try Task.checkCancellation()
            }
        }
        await gate.pass()

        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.remainingSleeps.isEmpty)
    }

    @Test func aTimeoutDoesNotCancelTheCaller() async throws {
        let handling = handling
        let task = Task {
            await #expect(throws: TimeoutError.self) { try await handling.handle { _ in await untilCancelled() } }
            return Task.isCancelled
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))

        #expect(await !task.value)
    }

    @Test func anEarlierDeadlineOfTheMessageReplacesTheTimeout() async throws {
        let (clock, handling) = (clock, handling)
        let task = Task {
            try await MessageContext.withDeadline(clock.now.advanced(by: .seconds(2))) {
                try await handling.handle { _ in await untilCancelled() }
            }
        }
        await clock.waitForSleepers(1)

        clock.advance(by: .seconds(2))

        let error = try await #require(throws: TimeoutError.self) { try await task.value }
        #expect(error.limit == .seconds(2))
    }

    @Test func theHandlerIsNotStartedAfterTheDeadline() async throws {
        let slow = Handling(Advancing(clock: clock), TimeoutMiddleware(.seconds(5), clock: clock), clock: clock)

        let error = try await #require(throws: MessageError.self) {
            try await MessageContext.withDeadline(clock.now.advanced(by: .seconds(1))) {
                try await slow.handle { _ in Issue.record("It was handled.") }
            }
        }

        #expect(error.code == .deadlineExceeded)
    }

    @Test func theShorterOfTwoTimeoutsApplies() async throws {
        for limits in [(2, 5), (5, 2)] {
            let handling = Handling(
                TimeoutMiddleware(.seconds(limits.0), clock: clock),
                TimeoutMiddleware(.seconds(limits.1), clock: clock),
                clock: clock
            )
            let task = Task {
                try await handling.handle { _ in
                    await untilCancelled()
                    try Task.checkCancellation()
                }
            }
            await clock.waitForSleepers(2)
            clock.advance(by: .seconds(2))

            let error = try await #require(throws: TimeoutError.self) { try await task.value }
            #expect(error.limit == .seconds(2))
        }
    }

    @Test func taskLocalValuesReachTheHandler() async throws {
        try await MessageContext.withPrincipal(User("ada")) {
            let handled = try await handling.handle { _ in try #require(MessageContext.current) }

            #expect(handled.principal?.principalID == "ada")
        }
    }

    /// The result and the alarm come at the same time, in any order, and exactly one of them counts.
    @Test func anOutputAtTheTimeoutIsEitherReturnedOrDiscarded() async throws {
        let (clock, handling) = (clock, handling)
        for round in 0..<400 {
            let gate = Gate()
            let task = Task {
                try await handling.handle { _ in
                    await gate.pass()
                    return round
                }
            }
            await clock.waitForSleepers(1)
            await withTaskGroup { group in
                group.addTask { clock.advance(by: .seconds(5)) }
                group.addTask { gate.open() }
            }
            do {
                #expect(try await task.value == round)
            } catch let error as TimeoutError {
                #expect(error.code == .finishedLate)
            }
            #expect(clock.remainingSleeps.isEmpty)
        }
    }

    @Test @MainActor func theHandlerStaysOnTheCallersActorWithANonSendableOutput() async throws {
        let answer = Answer("none")

        let returned = try await handling.onMainActor.handle { _ in
            MainActor.assertIsolated()
            answer.text = "begun"
            await Gate.opened.pass()
            MainActor.assertIsolated()
            answer.text = "ended"
            return answer
        }

        MainActor.assertIsolated()
        #expect(returned === answer)
        #expect(answer.text == "ended")
    }

    @Test func aHandlerOfAnActorStaysOnTheActor() async throws {
        #expect(try await Desk().handle(in: handling) == 3)
    }
}

/// Advances the clock before the message is handled.
private struct Advancing: Middleware {
    let clock: TestClock

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        clock.advance(by: .seconds(1))
        return try await next(message)
    }
}

private actor Desk {
    private var count = 0

    func handle(in handling: Handling) async throws -> Int {
        count += 1
        let counted = try await handling.handle { _ in
            self.assertIsolated()
            self.count += 1
            await Gate.opened.pass()
            self.assertIsolated()
            self.count += 1
            return Answer("\(self.count)")
        }
        assertIsolated()
        return counted.text == "\(count)" ? count : 0
    }
}
