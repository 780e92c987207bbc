// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceTesting
import MetricsTestKit
import MiddlewareTestSupport
import Synchronization
import Testing

@testable import HeadraceResilience

@Suite(.timeLimit(.minutes(1))) struct BulkheadMiddlewareTests {
    private let clock = TestClock()
    private let metrics = TestMetrics()

    private func handling(_ count: Int, waiting: Int = 0, per group: MessageGroup = .all(named: "payments")) -> Handling
    {
        Handling(BulkheadMiddleware(count, waiting: waiting, per: group, factory: metrics), clock: clock)
    }

    /// Starts a message that is handled for a second.
    private func start(_ handling: Handling, _ message: some Sendable = Ping()) -> Task<Void, any Error> {
        let clock = clock
        return Task {
            try await handling.handle(message) { _ in
                try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
            }
        }
    }

    @Test func aMessageAboveTheLimitIsRefused() async throws {
        let handling = handling(2)
        let busy = [start(handling), start(handling)]
        await clock.waitForSleepers(2)

        let error = try await #require(throws: BulkheadError.self) {
            try await handling.handle { _ in Issue.record("It was handled.") }
        }

        #expect(error.codeName == "bulkheadFull")
        #expect(error.compartment == "payments")
        #expect(error.messageType == "MiddlewareTestSupport.Ping")
        #expect(error.isRetryable)
        #expect(try metrics.expectCounter("headrace.bulkhead.refused", [("compartment", "payments")]).totalValue == 1)
        #expect(try metrics.expectGauge("headrace.bulkhead.messages", [("compartment", "payments")]).lastValue == 2)
        clock.advance(by: .seconds(1))
        for task in busy { try await task.value }
        #expect(try await handling.handle { _ in 7 } == 7)
        #expect(try metrics.expectGauge("headrace.bulkhead.messages", [("compartment", "payments")]).lastValue == 0)
    }

    @Test func aMessageThatFailsReleasesItsPermit() async throws {
        let handling = handling(1)

        await #expect(throws: Failure.self) { try await handling.handle { _ in throw Failure() } }

        #expect(try await handling.handle { _ in 7 } == 7)
    }

    // On the main actor, a message is in the queue as soon as the test continues.
    @Test @MainActor func aCancelledMessageLeavesTheQueue() async throws {
        let gauge = WatchedGauge()
        let handling = Handling(BulkheadMiddleware(1, waiting: 1, factory: gauge), clock: clock)
        let busy = start(handling)
        await clock.waitForSleepers(1)
        let waiting = Task { try await handling.handle { _ in Issue.record("It was handled.") } }
        await gauge.waitForValues(2)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }

        let next = Task { try await handling.handle { _ in 7 } }
        await gauge.waitForValues(4)
        clock.advance(by: .seconds(1))

        try await busy.value
        #expect(try await next.value == 7)
        #expect(gauge.values == [1, 2, 1, 2, 1, 0])
    }

    @Test @MainActor func waitingMessagesAreHandledInOrderOfArrival() async throws {
        let gauge = WatchedGauge()
        let handling = Handling(BulkheadMiddleware(1, waiting: 10, factory: gauge), clock: clock)
        let busy = start(handling)
        await clock.waitForSleepers(1)
        let handled = Journal()
        var waiting: [Task<Void, any Error>] = []
        for number in 0..<10 {
            waiting.append(Task { try await handling.handle { _ in handled.note("\(number)") } })
            await gauge.waitForValues(number + 2)
        }

        clock.advance(by: .seconds(1))

        try await busy.value
        for task in waiting { try await task.value }
        #expect(handled.entries == (0..<10).map(String.init))
    }

    @Test func aMessageWithinItsCompartmentPasses() async throws {
        let handling = handling(1)

        let output = try await handling.handle { _ in
            try await handling.handle(Pong()) { _ in 7 }
        }

        #expect(output == 7)
    }

    @Test func aMessageWithinItsCompartmentKeepsThePermitOfTheOuterMessage() async throws {
        let handling = handling(1)
        let (began, mayEnd) = (OneShot<Int>(), OneShot<Int>())
        let inner = try await handling.handle { _ in
            let inner = Task {
                try await handling.handle(Pong()) { _ in
                    began.set(1)
                    return try await mayEnd.wait()
                }
            }
            _ = try await began.wait()
            return inner
        }

        await #expect(throws: BulkheadError.self) { try await handling.handle { _ in } }
        mayEnd.set(7)

        #expect(try await inner.value == 7)
        #expect(try await handling.handle { _ in 8 } == 8)
    }

    /// Handles `count` messages, each in a task that its predecessor has started.
    private static func handleInChain(_ count: Int, by handling: Handling, _ inherited: Journal) async throws -> Int {
        let (gate, next) = try await handling.handle { _ in
            inherited.note("\(GroupHandling.currentCount)")
            let gate = OneShot<Int>()
            let next = Task {
                let first = try await gate.wait()
                return count == 1 ? first : first + (try await handleInChain(count - 1, by: handling, inherited))
            }
            return (gate, next)
        }
        gate.set(1)
        return try await next.value
    }

    @Test func aChainOfTasksKeepsNoEndedMessages() async throws {
        let inherited = Journal()

        #expect(try await Self.handleInChain(200, by: handling(1), inherited) == 200)

        #expect(Set(inherited.entries) == ["1"])
    }

    @Test func aTaskThatOutlivesItsMessageHoldsNoPermit() async throws {
        let (clock, handling) = (clock, handling(1))
        let later = try await handling.handle { _ in
            Task {
                try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
                _ = try await handling.handle { _ in Issue.record("It was handled.") }
            }
        }
        let (began, mayEnd) = (OneShot<Int>(), OneShot<Int>())
        let busy = Task {
            try await handling.handle { _ in
                began.set(1)
                return try await mayEnd.wait()
            }
        }
        _ = try await began.wait()
        await clock.waitForSleepers(1)

        clock.advance(by: .seconds(1))

        await #expect(throws: BulkheadError.self) { try await later.value }
        mayEnd.set(7)
        #expect(try await busy.value == 7)
    }

    @Test func eachMessageTypeHasACompartment() async throws {
        let handling = handling(1, per: .messageType)
        let busy = start(handling)
        await clock.waitForSleepers(1)

        #expect(try await handling.handle(Pong()) { _ in 7 } == 7)
        await #expect(throws: BulkheadError.self) { try await handling.handle { _ in } }

        clock.advance(by: .seconds(1))
        try await busy.value
    }

    @Test func neverMoreThanTheLimitAreHandledAndNoneIsLost() async throws {
        let handling = handling(3, waiting: 100)
        let load = Load()

        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    do {
                        try await handling.handle { _ in
                            load.begin()
                            await Task.yield()
                            load.end()
                        }
                    } catch {
                        Issue.record(error)
                    }
                }
            }
        }

        #expect(load.maximum <= 3)
        #expect(load.endedCount == 100)
    }

    @Test @MainActor func theHandlerStaysOnTheCallersActorWithANonSendableOutput() async throws {
        let answer = Answer("yes")

        let returned = try await handling(1).onMainActor.handle { _ in
            MainActor.assertIsolated()
            return answer
        }

        #expect(returned === answer)
    }
}

/// Counts the messages that are handled at the same time.
private final class Load: Sendable {
    private let counts = Mutex((running: 0, maximum: 0, ended: 0))

    var maximum: Int { counts.withLock { $0.maximum } }
    var endedCount: Int { counts.withLock { $0.ended } }

    func begin() {
        counts.withLock {
            $0.running += 1
            $0.maximum = max($0.maximum, $0.running)
        }
    }

    func end() {
        counts.withLock {
            $0.running -= 1
            $0.ended += 1
        }
    }
}
