// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceProjections
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

/// Failures of projections, and callers that wait for them.
@Suite(.timeLimit(.minutes(2))) struct ProjectionFailureTests {
    private let bench: ProjectionBench

    init() throws {
        bench = try ProjectionBench()
    }

    @Test func aFailureIsNoLongerShownAfterTheNextBatch() async throws {
        let isBroken = Mutex(true)
        let gate = Gate()
        let projection = sales(1) { event in
            if event.amount == 1, isBroken.withLock(\.self) { throw Failure() }
            if event.amount == 3 { await gate.pass() }
        }
        try await bench.sell(1, 2, 3)
        try await withProjections(bench.projections(projection) { $0.batchLimit = 1 }) { projections in
            await #expect(throws: ProjectionError.self) { try await projections.untilCurrent() }
            #expect(try await projections.status().first?.failure != nil)
            await bench.clock.waitForSleepers(1)
            isBroken.withLock { $0 = false }
            bench.clock.advance(by: .seconds(1))
            await gate.arrivals(1)

            let status = try #require(try await projections.status().first)
            #expect((status.position, status.failure) == (2, nil))
            gate.open()
        }
    }

    @Test func aCancellationErrorOfAFunctionIsAFailure() async throws {
        try await bench.sell(1)
        let projection = sales(1) { _ in throw CancellationError() }

        let error = try await #require(throws: ProjectionError.self) { try await bench.build(projection) }
        #expect(error.code == .eventNotApplied)
        #expect(error.message.contains("CancellationError()"))
    }

    @Test func anEventWhoseRowCannotBeEncodedIsFound() async throws {
        let ratios = Projection<Ratio>("ratios", version: 1).applying(Sold.self) { event, rows in
            rows.save(Ratio(id: event.amount, value: event.amount == 3 ? .nan : 1))
        }
        try await bench.sell(1, 2, 3, 4)
        let projections = bench.projections(ratios)
        try await withProjections(projections) { projections in
            let error = try await #require(throws: ProjectionError.self) { try await projections.untilCurrent() }
            #expect(error.code == .eventNotApplied)
            #expect(error.message.contains("can't apply 'sold' at position 3: "))
            #expect(error.cause is EncodingError)
            let status = try #require(try await projections.status().first)
            #expect((status.position, status.pendingCount) == (2, 2))
        }
    }

    @Test func aCallerWaitsOnlyForTheEventsBeforeItsCall() async throws {
        let gates = [2: Gate(), 4: Gate()]
        let holder = bench.projections(sales(1) { event in await gates[event.amount]?.pass() })
        try await bench.sell(1)
        try await withProjections(holder) { holder in
            try await holder.untilCurrent()
            try await bench.sell(2)
            await gates[2]?.arrivals(1)

            let store = StatisticsLog(bench.store)
            let other = bench.projections(sales(1), on: store)
            try await withProjections(other) { other in
                async let isCurrent: Void = other.untilCurrent()
                await store.gate.arrivals(1)
                // The log has more events whenever the other program looks.
                try await bench.sell(4)
                gates[2]?.open()
                await gates[4]?.arrivals(1)
                bench.clock.advance(by: .seconds(1))
                try await isCurrent

                #expect(try await bench.sums(sales(1)) == ["a 3"])
            }
            gates[4]?.open()
        }
    }

    @Test func aVersionThatIsBeingRemovedIsNotReady() async throws {
        try await bench.sell(1)
        try await bench.build(sales(1))
        let projections = bench.projections(sales(1), on: FailingDeletions(bench.store))
        #expect(try await projections.status().map(\.isReady) == [true])

        await #expect(throws: StoreError.self) { try await projections.remove("sales") }

        let status = try #require(try await projections.status().first)
        #expect((status.state, status.isReady) == (.removing, false))
    }
}

private struct Failure: Error {}

private struct Ratio: ProjectionRow {
    let id: Int
    var value: Double
}

/// A store that reports when its statistics were read.
private final class StatisticsLog: StoreDecorator {
    let base: any DeliveryStore
    let gate = Gate.opened

    init(_ base: any DeliveryStore) { self.base = base }

    func deliveryStatistics() async throws -> DeliveryStatistics {
        let statistics = try await base.deliveryStatistics()
        await gate.pass()
        return statistics
    }
}
