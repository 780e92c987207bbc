// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceResilience
import HeadraceTesting
import MetricsTestKit
import MiddlewareTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct CircuitBreakerMiddlewareTests {
    private let clock = TestClock()
    private let metrics = TestMetrics()

    private func breaker(failures: Int = 2, per group: MessageGroup = .all(named: "payments"))
        -> CircuitBreakerMiddleware
    {
        CircuitBreakerMiddleware(failures: failures, pause: .seconds(30), per: group, clock: clock, factory: metrics)
    }

    private nonisolated(nonsending) func fail(_ handling: Handling, _ count: Int = 1) async {
        for _ in 0..<count {
            await #expect(throws: Outage.self) { try await handling.handle { _ in throw Outage() } }
        }
    }

    @Test func aCircuitOpensAfterConsecutiveFailuresAndStatesWhenItAllowsAProbe() async throws {
        let breaker = breaker()
        let handling = Handling(breaker, clock: clock)
        await fail(handling)
        try await handling.handle { _ in }
        await fail(handling, 2)
        clock.advance(by: .seconds(10))

        let error = try await #require(throws: CircuitBreakerError.self) {
            try await handling.handle { _ in Issue.record("It was handled.") }
        }

        #expect(error.codeName == "circuitOpen")
        #expect(error.circuit == "payments")
        #expect(error.messageType == "MiddlewareTestSupport.Ping")
        #expect(error.retryAfter == .seconds(20))
        #expect(error.earliestRetry == clock.now.advanced(by: .seconds(20)))
        #expect(error.isRetryable)
        #expect(breaker.states == ["payments": .open])
        #expect(try metrics.expectCounter("headrace.circuit.opened", [("circuit", "payments")]).totalValue == 1)
        #expect(try metrics.expectCounter("headrace.circuit.refused", [("circuit", "payments")]).totalValue == 1)
        #expect(try metrics.expectGauge("headrace.circuit.state", [("circuit", "payments")]).lastValue == 2)
    }

    @Test func aSuccessfulProbeClosesTheCircuit() async throws {
        let breaker = breaker()
        let handling = Handling(breaker, clock: clock)
        await fail(handling, 2)
        clock.advance(by: .seconds(30))

        #expect(try await handling.handle { _ in 7 } == 7)

        #expect(breaker.states["payments"] == .closed)
        await fail(handling)
        #expect(try await handling.handle { _ in 8 } == 8)
        #expect(try metrics.expectGauge("headrace.circuit.state", [("circuit", "payments")]).values == [2, 1, 0])
    }

    @Test func byDefaultThePausePassesOnTheCurrentClock() async throws {
        let breaker = CircuitBreakerMiddleware(failures: 1, pause: .seconds(30), factory: metrics)
        let handling = Handling(breaker, clock: clock)
        try await SystemValues.withCurrent(.test(clock: clock)) {
            await fail(handling)
            await #expect(throws: CircuitBreakerError.self) { try await handling.handle { _ in } }
            clock.advance(by: .seconds(30))

            try await handling.handle { _ in }
        }
    }

    @Test func aFailedProbeOpensTheCircuitForAnotherPause() async throws {
        let handling = Handling(breaker(), clock: clock)
        await fail(handling, 2)
        clock.advance(by: .seconds(30))

        await fail(handling)

        clock.advance(by: .seconds(29))
        let error = await #expect(throws: CircuitBreakerError.self) { try await handling.handle { _ in } }
        #expect(error?.retryAfter == .seconds(1))
    }

    @Test func oneProbeIsHandledAtATime() async throws {
        let clock = clock
        let breaker = breaker()
        let handling = Handling(breaker, clock: clock)
        await fail(handling, 2)
        clock.advance(by: .seconds(30))
        let probe = Task {
            try await handling.handle { _ in try await clock.sleep(until: clock.now.advanced(by: .seconds(1))) }
        }
        await clock.waitForSleepers(1)

        let error = await #expect(throws: CircuitBreakerError.self) { try await handling.handle { _ in } }

        #expect(error?.retryAfter == nil)
        #expect(error?.earliestRetry == nil)
        #expect(breaker.states["payments"] == .halfOpen)
        clock.advance(by: .seconds(1))
        try await probe.value
        #expect(breaker.states["payments"] == .closed)
    }

    @Test func afterACancelledProbeTheNextMessageIsTheProbe() async throws {
        let clock = clock
        let handling = Handling(breaker(), clock: clock)
        await fail(handling, 2)
        clock.advance(by: .seconds(30))
        let probe = Task {
            try await handling.handle { _ in try await clock.sleep(until: clock.now.advanced(by: .seconds(60))) }
        }
        await clock.waitForSleepers(1)
        probe.cancel()
        await #expect(throws: CancellationError.self) { try await probe.value }

        #expect(try await handling.handle { _ in 7 } == 7)
    }

    @Test func aCancelledMessageIsNoFailureWhateverErrorItThrows() async throws {
        let clock = clock
        let breaker = breaker(failures: 1)
        let handling = Handling(breaker, clock: clock)
        let cancelled = Task {
            try await handling.handle { _ in
                try? await clock.sleep(until: clock.now.advanced(by: .seconds(60)))
                throw Outage()
            }
        }
        await clock.waitForSleepers(1)

        cancelled.cancel()
        await #expect(throws: Outage.self) { try await cancelled.value }

        #expect(breaker.states.isEmpty)
    }

    @Test(arguments: [(deadline: 1, state: nil), (deadline: 9, state: .open)] as [(Int, CircuitState?)])
    func onlyATimeoutBeforeTheDeadlineIsAFailure(deadline: Int, state: CircuitState?) async throws {
        let clock = clock
        let breaker = breaker(failures: 1)
        let handling = Handling(breaker, TimeoutMiddleware(.seconds(5), clock: clock), clock: clock)
        let task = Task {
            try await MessageContext.withDeadline(clock.now.advanced(by: .seconds(deadline))) {
                try await handling.handle { _ in try await clock.sleep(until: clock.now.advanced(by: .seconds(60))) }
            }
        }
        await clock.waitForSleepers(2)

        clock.advance(by: .seconds(5))
        await #expect(throws: TimeoutError.self) { try await task.value }

        #expect(breaker.states["payments"] == state)
    }

    @Test func aProbeMaySendMessagesWithinItsCircuit() async throws {
        let breaker = breaker()
        let handling = Handling(breaker, clock: clock)
        await fail(handling, 2)
        clock.advance(by: .seconds(30))

        #expect(try await handling.handle { _ in try await handling.handle(Pong()) { _ in 7 } } == 7)

        #expect(breaker.states["payments"] == .closed)
    }

    @Test func aFailureOfAMessageWithinItsCircuitCountsOnce() async throws {
        let breaker = breaker()
        let handling = Handling(breaker, clock: clock)

        await #expect(throws: Outage.self) {
            try await handling.handle { _ in try await handling.handle(Pong()) { _ in throw Outage() } }
        }

        #expect(breaker.states["payments"] == .closed)
        await fail(handling)
        #expect(breaker.states["payments"] == .open)
    }

    @Test func aMessageFromBeforeTheOpeningDoesNotCloseTheCircuit() async throws {
        let clock = clock
        let breaker = breaker()
        let handling = Handling(breaker, clock: clock)
        let slow = Task {
            try await handling.handle { _ in try await clock.sleep(until: clock.now.advanced(by: .seconds(1))) }
        }
        await clock.waitForSleepers(1)
        await fail(handling, 2)

        clock.advance(by: .seconds(1))
        try await slow.value

        #expect(breaker.states["payments"] == .open)
    }

    @Test func aMessageFromBeforeTheOpeningDoesNotOpenTheCircuitAgain() async throws {
        let clock = clock
        let breaker = breaker(failures: 1)
        let handling = Handling(breaker, clock: clock)
        let slow = Task {
            try await handling.handle { _ in
                try await clock.sleep(until: clock.now.advanced(by: .seconds(40)))
                throw Outage()
            }
        }
        await clock.waitForSleepers(1)
        await fail(handling)
        clock.advance(by: .seconds(30))
        try await handling.handle { _ in }

        clock.advance(by: .seconds(10))
        await #expect(throws: Outage.self) { try await slow.value }

        #expect(breaker.states["payments"] == .closed)
    }

    @Test func refusalsOfOneMessageAreNoFailures() async throws {
        let handling = Handling(breaker(failures: 1), clock: clock)

        await #expect(throws: CancellationError.self) { try await handling.handle { _ in throw CancellationError() } }
        await #expect(throws: AuthorizationError.self) {
            try await handling.handle { _ in
                try await Handling(AuthorizationMiddleware(withoutPolicy: .refuse)).handle { _ in }
            }
        }

        #expect(try await handling.handle { _ in 7 } == 7)
    }

    @Test func theProgramDecidesWhichErrorsCount() async throws {
        let breaker = CircuitBreakerMiddleware(failures: 1, pause: .seconds(1), clock: clock) { $0 is Outage }
        let handling = Handling(breaker, clock: clock)

        await #expect(throws: Failure.self) { try await handling.handle { _ in throw Failure() } }
        #expect(try await handling.handle { _ in 7 } == 7)
        await fail(handling)

        await #expect(throws: CircuitBreakerError.self) { try await handling.handle { _ in } }
    }

    @Test func eachMessageTypeHasACircuit() async throws {
        let handling = Handling(breaker(failures: 1, per: .messageType), clock: clock)
        await fail(handling)

        await #expect(throws: CircuitBreakerError.self) { try await handling.handle { _ in } }
        #expect(try await handling.handle(Pong()) { _ in 7 } == 7)
    }

    @Test func messagesWithAKeyShareACircuitAndOthersPass() async throws {
        let handling = Handling(
            breaker(failures: 1, per: .key { ($0 as? Ping).flatMap { $0.secret.isEmpty ? nil : $0.secret } }),
            clock: clock
        )
        await fail(handling)

        await #expect(throws: CircuitBreakerError.self) { try await handling.handle { _ in } }
        #expect(try await handling.handle(Ping(secret: "other")) { _ in 7 } == 7)
        for _ in 0..<3 {
            await #expect(throws: Outage.self) { try await handling.handle(Ping(secret: "")) { _ in throw Outage() } }
        }
    }

    @Test func aRetryWaitsForTheProbe() async throws {
        let clock = clock
        let flaky = Flaky.succeeding(on: 3)
        let handling = Handling(
            RetryMiddleware(maximumAttempts: 4, backoff: Backoff(base: .zero), clock: clock), breaker(), clock: clock)
        let task = Task { try await handling.handle { _ in try flaky.handle() } }

        await clock.waitForSleepers(1)
        #expect(clock.remainingSleeps == [.seconds(30)])
        clock.advance(by: .seconds(30))

        #expect(try await task.value == 3)
    }

    /// Under concurrency, exactly the configured number of failures reaches the service before the circuit opens, at the
    /// earliest, and exactly one probe after each pause.
    @Test func concurrentMessagesSendExactlyOneProbe() async throws {
        let clock = clock
        for _ in 0..<200 {
            let handling = Handling(breaker(failures: 1), clock: clock)
            await fail(handling)
            clock.advance(by: .seconds(30))
            let handled = Journal()

            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        try? await handling.handle { _ in
                            handled.note("probe")
                            await Task.yield()
                            throw Outage()
                        }
                    }
                }
            }

            #expect(handled.entries.count == 1)
        }
    }

    @Test @MainActor func theHandlerStaysOnTheCallersActorWithANonSendableOutput() async throws {
        let answer = Answer("yes")

        let returned = try await Handling(breaker(), clock: clock).onMainActor.handle { _ in
            MainActor.assertIsolated()
            return answer
        }

        #expect(returned === answer)
    }
}
