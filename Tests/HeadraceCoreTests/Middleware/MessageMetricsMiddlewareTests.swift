// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceTesting
import MetricsTestKit
import MiddlewareTestSupport
import Testing

@Suite struct MetricsMiddlewareTests {
    private let clock = TestClock()
    private let metrics = TestMetrics()
    private let handling: Handling
    private let ping = [("kind", "command"), ("type", "MiddlewareTestSupport.Ping")]

    init() {
        handling = Handling(MessageMetricsMiddleware(factory: metrics, clock: clock), clock: clock)
    }

    @Test func aMessageIsCountedAndTimedByKindTypeAndOutcome() async throws {
        for milliseconds in [3, 5] {
            try await handling.handle { _ in clock.advance(by: .milliseconds(milliseconds)) }
        }

        #expect(try metrics.expectCounter("headrace.messages.begun", ping).totalValue == 2)
        let labels = ping + [("outcome", "success")]
        #expect(try metrics.expectCounter("headrace.messages.ended", labels).totalValue == 2)
        #expect(try metrics.expectTimer("headrace.message.duration", labels).values == [3_000_000, 5_000_000])
    }

    @Test(arguments: [
        (Outage() as any Error, "outage"), (Failure(), "MiddlewareTestSupport.Failure"),
        (CancellationError(), "cancelled"),
    ])
    func aFailureIsCountedByItsCodeOrItsType(error: any Error, outcome: String) async throws {
        _ = try? await handling.handle { _ in throw error }

        let labels = ping + [("outcome", outcome)]
        #expect(try metrics.expectCounter("headrace.messages.ended", labels).totalValue == 1)
        #expect(try metrics.expectTimer("headrace.message.duration", labels).values.count == 1)
    }

    @Test func aRunningMessageIsCountedAsBegunOnly() async throws {
        try await handling.handle { _ in
            #expect(metrics.counterTotal(label: "headrace.messages.begun") == 1)
            #expect(metrics.counters(label: "headrace.messages.ended").isEmpty)
        }
    }

    @Test func kindsAndTypesAreCountedSeparately() async throws {
        try await handling.handle { _ in }
        try await handling.handle(kind: .query) { _ in }
        try await handling.handle(Pong()) { _ in }

        #expect(metrics.counters(label: "headrace.messages.ended").map(\.totalValue) == [1, 1, 1])
    }

    @Test func theNumberOfLabelsIsIndependentOfMessagesAndErrors() async throws {
        for number in 0..<1_000 {
            _ = try? await handling.handle(Ping(secret: "\(number)")) { _ in throw Outage(number: number) }
        }

        #expect(metrics.counters.count == 2)
        #expect(metrics.timers.count == 1)
    }

    @Test(.timeLimit(.minutes(2)))
    func nothingIsLostWhenManyTasksCount() async throws {
        let (handling, metrics) = (handling, metrics)

        await withTaskGroup { group in
            for _ in 0..<16 {
                group.addTask {
                    for _ in 0..<1_000 { try? await handling.handle { _ in } }
                }
            }
        }

        #expect(metrics.counterTotal(label: "headrace.messages.begun") == 16_000)
        #expect(metrics.counterTotal(label: "headrace.messages.ended") == 16_000)
        #expect(metrics.counters.count == 2)
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
