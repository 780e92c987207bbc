// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceTesting
import InMemoryTracing
import MetricsTestKit
import MiddlewareTestSupport
import Testing

/// The middleware registered first is the outermost, with the consequences for the middleware of Headrace.
@Suite(.timeLimit(.minutes(2))) struct MiddlewareOrderTests {
    private let clock = TestClock()

    @Test func middlewareRunsInOrderOfRegistration() async throws {
        let journal = Journal()
        let handling = Handling(Noting(name: "a", journal: journal), Noting(name: "b", journal: journal))

        try await handling.handle { _ in journal.note("handler") }

        #expect(journal.entries == ["a begins", "b begins", "handler", "b ends", "a ends"])
    }

    private var retry: RetryMiddleware {
        RetryMiddleware(maximumAttempts: 2, backoff: Backoff(base: .seconds(1), jitter: 0), clock: clock)
    }

    private var timeout: TimeoutMiddleware { TimeoutMiddleware(.seconds(5), clock: clock) }

    /// Handles a message that ends only when it is cancelled.
    private func stuck(in handling: Handling, journal: Journal) -> Task<Void, any Error> {
        Task {
            try await handling.handle { _ in
                journal.note("attempt \(MessageContext.current?.attempt ?? 0)")
                await untilCancelled()
                try Task.checkCancellation()
            }
        }
    }

    @Test func aTimeoutInsideARetryLimitsEachAttempt() async throws {
        let journal = Journal()
        let task = stuck(in: Handling(retry, timeout, clock: clock), journal: journal)

        for sleep in [Duration.seconds(5), .seconds(1), .seconds(5)] {
            await clock.waitForSleepers(1)
            #expect(clock.remainingSleeps == [sleep])
            clock.advance(by: sleep)
        }

        let error = try await #require(throws: TimeoutError.self) { try await task.value }
        #expect(error.code == .timedOut)
        #expect(journal.entries == ["attempt 1", "attempt 2"])
    }

    @Test func aTimeoutAroundARetryLimitsAllAttemptsTogether() async throws {
        let (journal, flaky) = (Journal(), Flaky.failingAlways)
        let retry = RetryMiddleware(
            maximumAttempts: 100, backoff: Backoff(base: .seconds(2), factor: 1, jitter: 0), clock: clock
        )
        let handling = Handling(timeout, retry, clock: clock)
        let task = Task {
            try await handling.handle { _ in
                journal.note("attempt")
                return try flaky.handle()
            }
        }

        for _ in 1...3 {
            await clock.waitForSleepers(2)
            clock.advance(by: .seconds(2))
        }

        let error = try await #require(throws: TimeoutError.self) { try await task.value }
        #expect((3...4).contains(journal.entries.count))
        #expect(error.cause is Outage)
        #expect(clock.remainingSleeps.isEmpty)
    }

    @Test(arguments: [true, false])
    func ofTwoThatRefuseTheFirstOneDecides(isValidationFirst: Bool) async throws {
        let validation = ValidationMiddleware()
        let authorization = AuthorizationMiddleware(
            AuthorizationPolicy(for: PlaceOrder.self, sentBy: User.self)
        )
        let handling =
            isValidationFirst ? Handling(validation, authorization) : Handling(authorization, validation)

        await #expect {
            try await handling.handle(PlaceOrder(customer: "", lines: [])) { _ in }
        } throws: {
            isValidationFirst ? $0 is MessageValidationError : $0 is AuthorizationError
        }
    }

    @Test @MainActor func allMiddlewareStaysOnTheCallersActorWithNonSendableOutputs() async throws {
        let (metrics, tracer, flaky) = (TestMetrics(), InMemoryTracer(), Flaky.succeeding(on: 2))
        let handling = Handling(
            LoggingMiddleware(clock: clock), MessageMetricsMiddleware(factory: metrics, clock: clock),
            MessageTracingMiddleware(tracer: tracer), ValidationMiddleware(),
            AuthorizationMiddleware(AuthorizationPolicy(for: Ping.self, sentBy: User.self)),
            RetryMiddleware(backoff: Backoff(base: .zero), clock: clock), timeout,
            clock: clock
        )
        let answer = Answer("none")

        let returned = try await MessageContext.withPrincipal(User("ada")) {
            try await handling.onMainActor.handle { _ in
                MainActor.assertIsolated()
                answer.text = "attempt \(try flaky.handle())"
                return answer
            }
        }

        MainActor.assertIsolated()
        #expect(returned === answer)
        #expect(answer.text == "attempt 2")
        #expect(tracer.finishedSpans.count == 1)
        #expect(metrics.counterTotal(label: "headrace.messages.ended") == 1)
        #expect(clock.remainingSleeps.isEmpty)
    }
}
