// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceResilience
import HeadraceTesting
import MiddlewareTestSupport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct RateLimitMiddlewareTests {
    private let clock = TestClock()

    private func handling(burst: Int? = nil, per key: RateLimitMiddleware.Key = .messageType) -> Handling {
        Handling(RateLimitMiddleware(2, every: .seconds(10), burst: burst, per: key, clock: clock), clock: clock)
    }

    private nonisolated(nonsending) func passes(
        _ handling: Handling,
        for principal: String? = nil,
        _ message: some Sendable = Ping()
    ) async throws -> Bool {
        try await MessageContext.withPrincipal(principal.map { User($0) }) {
            do {
                try await handling.handle(message) { _ in }
                return true
            } catch is RateLimitError {
                return false
            }
        }
    }

    @Test func aMessageAboveTheLimitIsRefusedWithTheInstantOfTheNextOne() async throws {
        let handling = handling()
        for _ in 1...2 { #expect(try await passes(handling)) }
        clock.advance(by: .seconds(1))

        let error = try await #require(throws: RateLimitError.self) {
            try await handling.handle { _ in Issue.record("It was handled.") }
        }

        #expect(error.retryAfter == .seconds(4))
        #expect(error.earliestRetry == clock.now.advanced(by: .seconds(4)))
        #expect(error.isRetryable)
        #expect(error.codeName == "rateLimited")
        #expect(error.messageType == "MiddlewareTestSupport.Ping")
        clock.advance(by: error.retryAfter - clock.minimumResolution)
        #expect(try await !passes(handling))
        clock.advance(by: clock.minimumResolution)
        #expect(try await passes(handling))
    }

    @Test func byDefaultTheCurrentClockRefillsTheBuckets() async throws {
        let handling = Handling(RateLimitMiddleware(1, every: .seconds(10)), clock: clock)
        let passed = try await SystemValues.withCurrent(.test(clock: clock)) {
            let first = [try await passes(handling), try await passes(handling)]
            clock.advance(by: .seconds(10))
            return first + [try await passes(handling)]
        }

        #expect(passed == [true, false, true])
    }

    @Test func theBurstCanDifferFromTheRate() async throws {
        let handling = handling(burst: 1)

        #expect(try await passes(handling))
        #expect(try await !passes(handling))
        clock.advance(by: .seconds(5))
        #expect(try await passes(handling))
    }

    @Test(arguments: [
        (RateLimitMiddleware.Key.messageType, [true, false, false, true]),
        (.principal, [true, true, true, false]),
        (.messageTypeAndPrincipal, [true, true, true, true]),
    ])
    func itCountsByItsKey(key: RateLimitMiddleware.Key, expected: [Bool]) async throws {
        let handling = handling(burst: 1, per: key)

        var passed = [try await passes(handling, for: "ada")]
        passed.append(try await passes(handling, for: "bob"))
        passed.append(try await passes(handling, for: nil))
        passed.append(try await passes(handling, for: "ada", Pong()))

        #expect(passed == expected)
        #expect(try await !passes(handling, for: nil))
    }

    @Test func aFailedMessageTakesAToken() async throws {
        let handling = handling(burst: 1)

        await #expect(throws: Failure()) { try await handling.handle { _ in throw Failure() } }

        #expect(try await !passes(handling))
    }

    @Test func aRetryAroundTheRateLimitWaitsForTheNextToken() async throws {
        let clock = clock
        let handling = Handling(
            RetryMiddleware(backoff: Backoff(base: .seconds(1), jitter: 0), clock: clock),
            RateLimitMiddleware(1, every: .seconds(30), clock: clock),
            clock: clock
        )
        try await handling.handle { _ in }
        let task = Task { try await handling.handle { _ in 2 } }

        await clock.waitForSleepers(1)
        #expect(clock.remainingSleeps == [.seconds(30)])
        clock.advance(by: .seconds(30))

        #expect(try await task.value == 2)
    }

    @Test func concurrentTasksTogetherPassExactlyTheBurst() async throws {
        let clock = clock
        for _ in 0..<500 {
            let handling = Handling(
                RateLimitMiddleware(20, every: .seconds(1), burst: 7, maximumKeys: 1, clock: clock), clock: clock
            )
            let passed = Mutex(0)

            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<16 {
                    group.addTask { (try? await handling.handle { _ in true }) ?? false }
                }
                for await hasPassed in group where hasPassed { passed.withLock { $0 += 1 } }
            }

            #expect(passed.withLock(\.self) == 7)
        }
    }

    @Test func aMessageRefusedBeforeTheRateLimitTakesNoToken() async throws {
        let handling = Handling(
            ValidationMiddleware(), RateLimitMiddleware(1, every: .seconds(1), clock: clock), clock: clock
        )

        await #expect(throws: MessageValidationError.self) {
            try await handling.handle(Upload(isValid: false)) { _ in }
        }

        #expect(try await handling.handle(Upload(isValid: true)) { _ in true })
    }

    @Test @MainActor func theHandlerStaysOnTheCallersActorWithANonSendableOutput() async throws {
        let answer = Answer("yes")

        let returned = try await handling().onMainActor.handle { _ in
            MainActor.assertIsolated()
            return answer
        }

        #expect(returned === answer)
    }
}

/// A message that can be invalid.
private struct Upload: Validatable {
    let isValid: Bool

    func validate(_ validation: inout Validation) { validation.require(isValid, "file", "must not be empty") }
}
