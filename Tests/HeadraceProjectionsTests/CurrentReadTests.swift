// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceProjections
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

/// Reads that wait until the rows include all events before them.
@Suite(.timeLimit(.minutes(2))) struct CurrentReadTests {
    private let bench: ProjectionBench

    init() throws {
        bench = try ProjectionBench()
    }

    private func read(
        _ projection: Projection<Sales> = sales(1),
        within limit: Duration = .seconds(2),
        on store: (any DeliveryStore)? = nil
    ) async throws -> (sums: [String], position: Int64) {
        try await bench.projections(projection, on: store).read(projection, currentWithin: limit) { rows in
            (try await rows.fetch().map { "\($0.id) \($0.sum)" }, rows.position)
        }
    }

    @Test func eachCallerSeesItsOwnCommits() async throws {
        let projections = bench.projections(sales(1)) { $0.batchLimit = 3 }
        try await withProjections(projections) { projections in
            try await projections.untilCurrent()
            try await withThrowingTaskGroup { group in
                for caller in 0..<8 {
                    group.addTask {
                        for number in 1...40 {
                            try await bench.sell(1, of: "\(caller)")
                            let (sums, _) = try await read()
                            #expect(sums.contains("\(caller) \(number)"))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func rowsThatAreCurrentAreReadAtOnce() async throws {
        try await bench.sell(1, 2)
        try await bench.build(sales(1))

        // No projection runs, and the clock stands still.
        let (sums, position) = try await read(within: .zero)
        #expect(sums == ["a 3"])
        #expect(position == 2)
    }

    @Test func aReadWaitsForTheEventsBeforeItAndForNoOther() async throws {
        let (gate, applied) = (Gate(), ConditionVariable<[Int]>([]))
        let projection = sales(1) { sale in
            applied.change { $0.append(sale.amount) }
            if sale.amount == 2 { await gate.pass() }
        }
        try await bench.sell(1)
        let projections = bench.projections(projection) { $0.batchLimit = 1 }
        try await withProjections(projections) { projections in
            try await projections.untilCurrent()
            try await bench.sell(2)
            await gate.arrivals(1)

            let reading = Task { try await read() }
            await bench.clock.waitForSleepers(1)
            // The log doesn't end while this read waits.
            let writing = Task { for _ in 0..<100 { try await bench.sell(10) } }
            try await writing.value
            gate.open()

            #expect(try await reading.value.position >= 2)
        }
    }

    @Test func theProgressOfAnotherProcessIsNoticedAfterPauses() async throws {
        try await bench.sell(1)
        try await bench.build(sales(1))
        try await bench.sell(2)
        let reading = Task { try await read(on: SilentStore(bench.store)) }
        for _ in 0..<4 {
            await bench.clock.waitForSleepers(1)
            bench.clock.advance(by: .milliseconds(50))
        }
        await bench.clock.waitForSleepers(1)
        try await bench.build(sales(1))
        bench.clock.advance(by: .milliseconds(200))

        #expect(try await reading.value.sums == ["a 3"])
    }

    @Test func aReadThatWaitsForTooLongSaysHowFarTheProjectionIs() async throws {
        try await bench.sell(1)
        try await bench.build(sales(1))
        try await bench.sell(2, 3)
        let reading = Task { try await read() }
        await bench.clock.waitForSleepers(1)
        bench.clock.advance(by: .seconds(2))

        let error = await #expect(throws: ProjectionError.self) { try await reading.value }
        #expect(error?.code == .behind)
        #expect(error?.message.contains("up to position 1, but not yet up to position 3") == true)
        // A read that need not be current still answers.
        #expect(try await bench.sums(sales(1)) == ["a 1"])
    }

    @Test func theDeadlineOfTheMessageComesFirst() async throws {
        try await bench.sell(1)
        try await bench.build(sales(1))
        try await bench.sell(2)
        let deadline = bench.clock.now.advanced(by: .milliseconds(20))
        let reading = Task {
            try await MessageContext.withDeadline(deadline) { try await read(within: .seconds(60)) }
        }
        await bench.clock.waitForSleepers(1)
        bench.clock.advance(by: .milliseconds(20))

        let error = await #expect(throws: ProjectionError.self) { try await reading.value }
        #expect(error?.code == .behind)
    }

    @Test func aReadWaitsForTheFirstBuild() async throws {
        try await bench.sell(1)
        let reading = Task { try await read() }
        await bench.clock.waitForSleepers(1)
        try await bench.build(sales(1))
        #expect(try await reading.value.sums == ["a 1"])

        let missing = Task { try await read(sales(2)) }
        await bench.clock.waitForSleepers(1)
        bench.clock.advance(by: .seconds(2))
        let error = await #expect(throws: ProjectionError.self) { try await missing.value }
        #expect(error?.code == .building)
    }

    @Test func eventsThatWereRemovedFromTheLogAreNotWaitedFor() async throws {
        try await bench.sell(1, 2)
        try await bench.build(sales(1))
        try await bench.sell(3)
        _ = try await bench.store.prune(PruneRequest(eventsBefore: .distantFuture))

        #expect(try await read(within: .zero).position == 2)
    }

    @Test func aCancelledReadEnds() async throws {
        try await bench.sell(1)
        let reading = Task { try await read() }
        await bench.clock.waitForSleepers(1)
        reading.cancel()

        await #expect(throws: CancellationError.self) { try await reading.value }
    }
}

/// A store that never tells of a commit, like a store whose writers are other processes.
private final class SilentStore: StoreDecorator, ObservableStore {
    let base: any DeliveryStore
    let commitFeed = CommitFeed()

    init(_ base: any DeliveryStore) { self.base = base }
}
