// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceTesting
import InMemoryLogging
import Logging
import MiddlewareTestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct RetryMiddlewareTests {
    private let clock = TestClock()

    private func handling(attempts: Int = 3, jitter: Double = 0) -> Handling {
        let backoff = Backoff(base: .seconds(2), factor: 2, longest: .seconds(60), jitter: jitter)
        return Handling(RetryMiddleware(maximumAttempts: attempts, backoff: backoff, clock: clock), clock: clock)
    }

    @Test func aMessageThatSucceedsIsHandledOnce() async throws {
        let flaky = Flaky.succeeding(on: 1)

        #expect(try await handling().handle { _ in try flaky.handle() } == 1)
        #expect(flaky.attemptCount == 1)
    }

    @Test func aRetryStartsAfterTheWholePauseOfTheBackoff() async throws {
        let (clock, handling, flaky) = (clock, handling(), Flaky.succeeding(on: 3))
        async let answer = handling.handle { _ in try flaky.handle() }

        for pause in [Duration.seconds(2), .seconds(4)] {
            await clock.waitForSleepers(1)
            #expect(clock.remainingSleeps == [pause])
            clock.advance(by: pause - clock.minimumResolution)
            #expect(clock.remainingSleeps == [clock.minimumResolution])
            clock.advance(by: clock.minimumResolution)
        }

        #expect(try await answer == 3)
    }

    @Test func byDefaultThePausesFollowTheCurrentClockAndTheCurrentRandomNumbers() async throws {
        let retry = RetryMiddleware(maximumAttempts: 6)
        func pauses(seed: UInt64) async throws -> [Duration] {
            let (clock, flaky) = (TestClock(), Flaky.succeeding(on: 6))
            return try await SystemValues.withCurrent(.test(clock: clock, seed: seed)) {
                async let answer = Handling(retry, clock: clock).handle { _ in try flaky.handle() }
                var pauses: [Duration] = []
                for _ in 1...5 {
                    await clock.waitForSleepers(1)
                    pauses += clock.remainingSleeps
                    clock.advance(by: .seconds(5))
                }
                _ = try await answer
                return pauses
            }
        }

        let first = try await pauses(seed: 1)

        #expect(first.count == 5)
        #expect(try await pauses(seed: 1) == first)
        #expect(try await pauses(seed: 2) != first)
    }

    @Test func theErrorOfTheLastAttemptIsThrown() async throws {
        let (clock, handling, flaky) = (clock, handling(attempts: 2), Flaky.failingAlways)
        let task = Task { try await handling.handle { _ in try flaky.handle() } }

        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))

        await #expect(throws: Outage(number: 2)) { try await task.value }
        #expect(flaky.attemptCount == 2)
    }

    @Test(arguments: [Failure() as any Error, Outage(isRetryable: false), CancellationError()])
    func anErrorThatDoesNotSaySoIsNotRetried(error: any Error) async throws {
        let flaky = Flaky { _ in error }

        await #expect {
            try await handling().handle { _ in try flaky.handle() }
        } throws: {
            type(of: $0) == type(of: error)
        }

        #expect(flaky.attemptCount == 1)
    }

    @Test func conflictsAreRetriedAlmostAtOnceAndCountAsNoAttempt() async throws {
        let (clock, handling) = (clock, handling(attempts: 2))
        // The last failure is no conflict.
        let flaky = Flaky { $0 <= 40 ? Conflict() : $0 == 41 ? Outage(number: $0) : nil }
        async let answer = handling.handle { _ in try flaky.handle() }

        for _ in 1...40 {
            await clock.waitForSleepers(1)
            #expect(clock.remainingSleeps.allSatisfy { $0 <= .milliseconds(16) })
            clock.advance(by: .milliseconds(16))
        }
        await clock.waitForSleepers(1)
        #expect(clock.remainingSleeps == [.seconds(2)])
        clock.advance(by: .seconds(2))

        #expect(try await answer == 42)
    }

    @Test func conflictsAreRetriedUntilTheirBudgetOrTheDeadlineIsUsedUp() async throws {
        for (budget, deadline, attempts) in [(3, 60, 4), (60, 3, 3), (0, 60, 1)] {
            let (clock, flaky) = (TestClock(), Flaky { _ in Conflict() })
            let retry = RetryMiddleware(
                maximumAttempts: 1, backoff: Backoff(base: .zero), conflictBudget: .seconds(budget), clock: clock)
            let end = clock.now.advanced(by: .seconds(deadline))

            await #expect(throws: Conflict.self) {
                try await MessageContext.withDeadline(end) {
                    try await Handling(retry, clock: clock).handle { _ in
                        // Each attempt takes a second.
                        clock.advance(by: .seconds(1))
                        return try flaky.handle()
                    }
                }
            }

            #expect(flaky.attemptCount == attempts)
        }
    }

    @Test func aMaximumOfOneAttemptMeansNoRetry() async throws {
        let flaky = Flaky.failingAlways

        await #expect(throws: Outage(number: 1)) {
            try await handling(attempts: 1).handle { _ in try flaky.handle() }
        }
    }

    @Test func theErrorCanExtendThePause() async throws {
        let (clock, handling) = (clock, handling())
        let earliest = clock.now.advanced(by: .seconds(30))
        let flaky = Flaky { $0 == 1 ? Outage(earliestRetry: earliest) : nil }
        async let answer = handling.handle { _ in try flaky.handle() }

        await clock.waitForSleepers(1)
        #expect(clock.remainingSleeps == [.seconds(30)])
        clock.advance(by: .seconds(30))

        #expect(try await answer == 2)
    }

    @Test(arguments: [1, 2])
    func aDeadlineThatWouldPassFirstEndsIt(seconds: Int) async throws {
        let flaky = Flaky.failingAlways

        await #expect(throws: Outage(number: 1)) {
            try await MessageContext.withDeadline(clock.now.advanced(by: .seconds(seconds))) {
                try await handling().handle { _ in try flaky.handle() }
            }
        }

        #expect(clock.remainingSleeps.isEmpty)
    }

    @Test func aDeadlineThatPassesDuringAPauseEndsTheAttempts() async throws {
        let (clock, handling, flaky) = (clock, handling(), Flaky.failingAlways)
        let task = Task {
            try await MessageContext.withDeadline(clock.now.advanced(by: .seconds(3))) {
                try await handling.handle { _ in try flaky.handle() }
            }
        }

        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(10))

        await #expect(throws: Outage(number: 1)) { try await task.value }
        #expect(flaky.attemptCount == 1)
    }

    @Test func aCancellationDuringAPauseThrowsTheErrorOfTheLastAttempt() async throws {
        let (handling, flaky) = (handling(), Flaky.failingAlways)
        let task = Task { try await handling.handle { _ in try flaky.handle() } }
        await clock.waitForSleepers(1)

        task.cancel()

        await #expect(throws: Outage(number: 1)) { try await task.value }
        #expect(flaky.attemptCount == 1)
    }

    @Test func aCancelledHandlerIsNeitherRetriedNorLogged() async throws {
        let (handling, flaky) = (handling(), Flaky.failingAlways)
        let (handler, logger) = InMemoryLogHandler.makeLogger()
        let task = Task {
            try await withLogger(logger) { _ in
                try await handling.handle { _ in
                    await untilCancelled()
                    return try flaky.handle()
                }
            }
        }

        task.cancel()

        await #expect(throws: Outage(number: 1)) { try await task.value }
        #expect(clock.remainingSleeps.isEmpty)
        #expect(handler.entries.isEmpty)
    }

    @Test func theHandlerAndInnerMiddlewareCanReadTheAttempt() async throws {
        let (clock, journal, flaky) = (clock, Journal(), Flaky.succeeding(on: 3))
        let handling = Handling(
            RetryMiddleware(backoff: Backoff(base: .zero), clock: clock), AttemptNoting(journal: journal), clock: clock
        )

        _ = try await handling.handle { _ in
            journal.note("handler \(try #require(MessageContext.current).attempt)")
            let nested = try await handling.handle(Pong()) { _ in try #require(MessageContext.current).attempt }
            #expect(nested == 1)
            return try flaky.handle()
        }

        let outer = (1...3).flatMap { ["middleware \($0)", "handler \($0)", "middleware 1"] }
        #expect(journal.entries == outer)
    }

    @Test func eachRetryIsLoggedWithItsAttempt() async throws {
        let flaky = Flaky.succeeding(on: 3)
        let (handler, logger) = InMemoryLogHandler.makeLogger()
        let handling = Handling(RetryMiddleware(backoff: Backoff(base: .zero), clock: clock), clock: clock)

        try await withLogger(logger) { _ in
            _ = try await handling.handle { _ in try flaky.handle() }
        }

        #expect(handler.entries.map(\.level) == [.debug, .debug])
        #expect(handler.entries.map { $0.metadata["headrace.message.attempt"] } == ["1", "2"])
        #expect(handler.entries.first?.metadata["error"] == "\(Outage(number: 1))")
    }

    @Test func anAtomicScopePreventsRetriesExceptInItsChildTasks() async throws {
        let handling = Handling(RetryMiddleware(backoff: Backoff(base: .zero), clock: clock), clock: clock)

        try await CurrentUnitOfWork.run {
            let flaky = Flaky.succeeding(on: 3)
            await #expect(throws: Outage(number: 1)) { try await handling.handle { _ in try flaky.handle() } }

            async let answer = handling.handle { _ in try flaky.handle() }
            let attempt = try await answer
            #expect(attempt == 3)
        }
    }

    @Test @MainActor func theHandlerStaysOnTheCallersActorWithANonSendableOutput() async throws {
        let answer = Answer("none")
        let (clock, handling) = (clock, handling())
        let waker = Task { @concurrent in
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(2))
        }

        let returned = try await handling.onMainActor.handle { _ in
            MainActor.assertIsolated()
            answer.text += "+"
            if answer.text == "none+" { throw Outage() }
            return answer
        }

        MainActor.assertIsolated()
        #expect(returned === answer)
        #expect(answer.text == "none++")
        await waker.value
    }
}

/// Records the attempt that a middleware reads.
private struct AttemptNoting: Middleware {
    let journal: Journal

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        journal.note("middleware \(context.attempt)")
        return try await next(message)
    }
}

extension InMemoryLogHandler {
    /// A logger at all levels, and its entries.
    static func makeLogger() -> (InMemoryLogHandler, Logger) {
        let handler = InMemoryLogHandler()
        var logger = Logger(label: "test", factory: { _ in handler })
        logger.logLevel = .trace
        return (handler, logger)
    }
}

private struct Conflict: RetryableError {
    let isRetryable = true
    let isConflict = true
}
