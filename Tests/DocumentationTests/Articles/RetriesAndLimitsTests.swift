// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceCore
import HeadraceResilience
import HeadraceResolution
import HeadraceTesting
import Testing

private struct Charge: CQDCommand {
    let card: String
}

private struct GatewayIsBusy: RetryableError {
    let isRetryable = true
    var earliestRetry: ContinuousClock.Instant?
}

private final class ChargeHandler: HandlesCommand, Resolvable {
    private let notes: Notes

    init(scope: any DependencyResolutionScope) {
        notes = scope.resolve()
    }

    func handle(_ command: Charge) async throws {
        let attempt = MessageContext.current?.attempt ?? 0
        notes.note("\(command.card), attempt \(attempt)")
        if attempt < 3 { throw GatewayIsBusy() }
    }
}

@Suite(.timeLimit(.minutes(1))) struct RetriesAndLimitsTests {
    private let notes = Notes()

    private func dispatcher(
        _ middleware: [any Middleware],
        clock: any TimeSource = ContinuousClock()
    ) -> any CommandQueryDispatcher {
        let builder = ContainerBuilder()
        builder.singleton { [notes] in notes }
        builder.commandQueryDispatch().standard(
            commandHandlers: [ChargeHandler.self],
            middleware: middleware,
            clock: clock
        )
        return builder.build().resolve()
    }

    @Test func aBusyGatewayIsRetried() async throws {
        let middleware: [any Middleware] = [
            RateLimitMiddleware(100, every: .seconds(60), burst: 20, per: .principal),
            TimeoutMiddleware(.seconds(30)),
            RetryMiddleware(maximumAttempts: 3, backoff: Backoff(base: .zero)),
            TimeoutMiddleware(.seconds(5)),
        ]
        let dispatcher = dispatcher(middleware)

        try await dispatcher.dispatch(Charge(card: "visa"))

        #expect(notes.all == ["visa, attempt 1", "visa, attempt 2", "visa, attempt 3"])
    }

    @Test func aRetryEndsAtTheDeadline() async throws {
        let clock = TestClock()
        let dispatcher = dispatcher([RetryMiddleware(maximumAttempts: 3, clock: clock)], clock: clock)

        let deadline = clock.now.advanced(by: .milliseconds(1))
        await #expect(throws: GatewayIsBusy.self) {
            try await MessageContext.withDeadline(deadline) {
                try await dispatcher.dispatch(Charge(card: "visa"))
            }
        }

        #expect(notes.all == ["visa, attempt 1"])
    }

    @Test func aCallerAboveTheLimitLearnsWhenToRetry() async throws {
        let clock = TestClock()
        let limit = RateLimitMiddleware(1, every: .seconds(60), clock: clock)
        let dispatcher = dispatcher([limit, RetryMiddleware(backoff: Backoff(base: .zero))])
        try await dispatcher.dispatch(Charge(card: "visa"))

        let error = await #expect(throws: RateLimitError.self) {
            try await dispatcher.dispatch(Charge(card: "visa"))
        }

        #expect(error?.retryAfter == .seconds(60))
    }

    @Test func aGatewayThatIsDownIsNotCalled() async throws {
        let clock = TestClock()
        let middleware: [any Middleware] = [
            RetryMiddleware(maximumAttempts: 2, backoff: Backoff(base: .zero), clock: clock),
            CircuitBreakerMiddleware(failures: 2, pause: .seconds(30), per: .all(named: "gateway"), clock: clock),
            BulkheadMiddleware(10, waiting: 50, per: .all(named: "gateway")),
            TimeoutMiddleware(.seconds(5), clock: clock),
        ]
        let dispatcher = dispatcher(middleware, clock: clock)
        await #expect(throws: GatewayIsBusy.self) { try await dispatcher.dispatch(Charge(card: "visa")) }

        let deadline = clock.now.advanced(by: .seconds(1))
        try await MessageContext.withDeadline(deadline) {
            let error = await #expect(throws: CircuitBreakerError.self) {
                try await dispatcher.dispatch(Charge(card: "visa"))
            }
            #expect(error?.retryAfter == .seconds(30))
        }

        #expect(notes.all == ["visa, attempt 1", "visa, attempt 2"])
    }
}
