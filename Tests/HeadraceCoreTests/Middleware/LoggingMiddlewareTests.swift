// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceTesting
import InMemoryLogging
import Logging
import MiddlewareTestSupport
import Testing

@Suite struct LoggingMiddlewareTests {
    private let clock = TestClock()
    private let handling: Handling

    init() {
        handling = Handling(LoggingMiddleware(clock: clock), clock: clock)
    }

    /// Runs `operation` with a logger at all levels, and returns its entries.
    private nonisolated(nonsending) func logged(
        _ operation: nonisolated(nonsending) () async throws -> Void
    ) async throws -> [InMemoryLogHandler.Entry] {
        let (handler, logger) = InMemoryLogHandler.makeLogger()
        try await withLogger(logger) { _ in try await operation() }
        return handler.entries
    }

    @Test func beginAndEndAreLoggedAtDebugWithTheMetadataOfTheMessage() async throws {
        var contexts: [MessageContext] = []

        let entries = try await logged {
            try await handling.handle { _ in
                contexts.append(try #require(MessageContext.current))
                clock.advance(by: .seconds(3))
            }
        }

        let context = try #require(contexts.first)
        let metadata: Logger.Metadata = [
            "headrace.message.id": "\(context.id)",
            "headrace.message.kind": "command",
            "headrace.message.type": "MiddlewareTestSupport.Ping",
            "headrace.message.correlation": "\(context.id)",
        ]
        let ending: Logger.Metadata = [
            "headrace.message.duration": "3.0 seconds", "headrace.message.outcome": "success",
        ]
        #expect(
            entries == [
                .init(level: .debug, message: "Handling a message", metadata: metadata),
                .init(level: .debug, message: "Handled a message", metadata: metadata.merging(ending) { $1 }),
            ]
        )
    }

    @Test func theLoggerOfTheHandlerNamesTheMessageAndItsCause() async throws {
        let entries = try await logged {
            try await handling.handle(kind: .query) { _ in
                try await handling.handle(Pong()) { _ in Logger.current.info("here") }
            }
            Logger.current.info("outside")
        }

        let ids = entries.map { $0.metadata["headrace.message.id"] }
        let here = try #require(entries.first { $0.message == "here" })
        #expect(here.metadata["headrace.message.type"] == "MiddlewareTestSupport.Pong")
        #expect(here.metadata["headrace.message.causation"] == ids.first)
        #expect(here.metadata["headrace.message.correlation"] == ids.first)
        #expect(here.metadata["headrace.message.id"] == ids[1])
        #expect(entries.last?.metadata.isEmpty == true)
    }

    @Test func aFailureIsLoggedWithItsErrorAndThrownUnwrapped() async throws {
        let entries = try await logged {
            await #expect(throws: Outage(number: 7)) { try await handling.handle { _ in throw Outage(number: 7) } }
        }

        #expect(entries.map(\.message) == ["Handling a message", "Handling a message failed"])
        #expect(entries.last?.level == .debug)
        #expect(entries.last?.metadata["error"] == "\(Outage(number: 7))")
        #expect(entries.last?.metadata["headrace.message.outcome"] == "outage")
    }

    @Test func theLevelsAreConfigurableAndACancellationIsNoFailure() async throws {
        let handling = Handling(LoggingMiddleware(level: .trace, failureLevel: .warning))

        let entries = try await logged {
            _ = try? await handling.handle { _ in throw Failure() }
            _ = try? await handling.handle { _ in throw CancellationError() }
        }

        #expect(entries.map(\.level) == [.trace, .warning, .trace, .trace])
        #expect(entries.last?.metadata["headrace.message.outcome"] == "cancelled")
    }

    @Test func theContentOfTheMessageIsNotLogged() async throws {
        let entries = try await logged { try await handling.handle { _ in } }

        #expect(!"\(entries)".contains(Ping().secret))
    }

    @Test func theAttemptIsLoggedFromTheSecondOn() async throws {
        let handling = Handling(
            RetryMiddleware(backoff: Backoff(base: .zero), clock: clock), LoggingMiddleware(clock: clock), clock: clock
        )
        let flaky = Flaky.succeeding(on: 2)

        let entries = try await logged { _ = try await handling.handle { _ in try flaky.handle() } }

        let attempts = entries.filter { $0.message == "Handling a message" }
            .map { $0.metadata["headrace.message.attempt"] }
        #expect(attempts == [nil, "2"])
    }

    @Test @MainActor func theHandlerStaysOnTheCallersActorWithANonSendableOutput() async throws {
        let answer = Answer("yes")

        let returned = try await handling.onMainActor.handle { _ in
            MainActor.assertIsolated()
            return answer
        }

        #expect(returned === answer)
    }
}
