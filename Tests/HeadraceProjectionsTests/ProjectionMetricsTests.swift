// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceProjections
import HeadraceTesting
import MetricsTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct ProjectionMetricsTests {
    @Test func theGaugesFollowTheStatus() async throws {
        let bench = try ProjectionBench()
        let factory = TestMetrics()
        let projections = bench.projections(sales(1) { if $0.amount < 0 { throw Failure() } })
        let metrics = ProjectionMetrics(
            projections,
            factory: factory,
            clock: bench.clock,
            wallClock: { [clock = bench.clock] in clock.date }
        )
        func gauges() throws -> [Double?] {
            try ["pending", "lag", "ready", "stopped"].map { name in
                try factory.expectRecorder("headrace.projection.\(name)", [("projection", "sales")]).lastValue
            }
        }
        try await bench.sell(1, 2)
        bench.clock.advance(by: .seconds(7))
        let running = Task { await metrics.run() }
        await bench.clock.waitForSleepers(1)
        #expect(try gauges() == [2, 7, 0, 0])

        try await bench.sell(-1)
        try await withProjections(projections) { projections in
            await #expect(throws: ProjectionError.self) { try await projections.untilCurrent() }
        }
        bench.clock.advance(by: .seconds(15))
        await bench.clock.waitForSleepers(1)
        #expect(try gauges() == [1, 15, 0, 1])

        running.cancel()
        await running.value
    }

    @Test func aVersionThatIsBeingRemovedIsNotReady() async throws {
        let bench = try ProjectionBench()
        try await bench.build(sales(1))
        let factory = TestMetrics()
        let projections = bench.projections(sales(1), on: FailingDeletions(bench.store))
        await #expect(throws: (any Error).self) { try await projections.remove("sales") }

        let metrics = ProjectionMetrics(projections, factory: factory, clock: bench.clock)
        let running = Task { await metrics.run() }
        await bench.clock.waitForSleepers(1)
        let gauge = try factory.expectRecorder("headrace.projection.ready", [("projection", "sales")])
        #expect(gauge.lastValue == 0)

        running.cancel()
        await running.value
    }
}

private struct Failure: Error {}
