// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceProjections
import HeadraceStorage
import HeadraceTesting
import Testing

/// Versions of projections: building, switching over, removal, and several versions of a program at once.
@Suite(.timeLimit(.minutes(2))) struct ProjectionVersionTests {
    private let bench: ProjectionBench

    init() throws {
        bench = try ProjectionBench()
    }

    @Test func theOldVersionIsReadUntilTheNewOneHasCaughtUp() async throws {
        try await bench.sell(1, 2)
        try await bench.build(sales(1))
        let gate = Gate()
        let new = sales(2, readableFrom: 1) { _ in await gate.pass() }
        let strict = sales(2)
        try await withProjections(bench.projections(new) { $0.batchLimit = 1 }) { projections in
            await gate.arrivals(1)
            #expect(try await bench.sums(new) == ["a 3"])
            let error = try await #require(throws: ProjectionError.self) { try await bench.sums(strict) }
            #expect(error.code == .building)
            #expect(error.message.contains("Version 1 is active"))
            #expect(try await bench.states() == ["sales 1 active"])

            gate.open()
            try await projections.untilCurrent()
            #expect(try await bench.sums(new) == ["a 6"])
            #expect(try await bench.sums(strict) == ["a 6"])
            #expect(try await bench.states() == ["sales 1 retired", "sales 2 active"])
        }
    }

    @Test func anEarlierVersionKeepsItsRowsAndDoesNotSwitchBack() async throws {
        try await bench.sell(1)
        try await bench.build(sales(2))
        try await bench.build(sales(1))
        #expect(try await bench.states() == ["sales 1 retired", "sales 2 active"])

        try await withProjections(bench.projections(sales(1))) { old in
            try await withProjections(bench.projections(sales(2))) { new in
                try await bench.sell(5)
                try await old.untilCurrent()
                try await new.untilCurrent()
                #expect(try await bench.sums(sales(1)) == ["a 6"])
                #expect(try await bench.sums(sales(2)) == ["a 12"])
            }
        }
        #expect(try await bench.states() == ["sales 1 retired", "sales 2 active"])
    }

    @Test func aProjectionThatWasNeverBuiltIsNotRead() async throws {
        let error = try await #require(throws: ProjectionError.self) { try await bench.sums(sales(1)) }
        #expect(error.code == .building)
        #expect(error.message.contains("No version is active"))
    }

    @Test func aBuildContinuesAfterARestart() async throws {
        try await bench.sell(1, 2, 3, 4)
        let gate = Gate()
        let blocked = sales(1) { event in if event.amount == 3 { await gate.pass() } }
        let first = bench.projections(blocked) { $0.batchLimit = 1 }
        let running = Task { try await first.run() }
        await gate.arrivals(1)
        running.cancel()
        gate.open()
        try await running.value
        #expect(try await bench.projections(sales(1)).status().map(\.position) == [2])

        bench.clock.advance(by: .seconds(6))
        let applied = ConditionVariable<[Int]>([])
        try await bench.build(sales(1) { event in applied.change { $0.append(event.amount) } })
        #expect(applied.value == [3, 4])
        #expect(try await bench.sums(sales(1)) == ["a 10"])
    }

    @Test func versionsThatNoProgramDeclaresAreRemovedInBatches() async throws {
        for product in ["a", "b", "c", "d", "e"] { try await bench.sell(1, of: product) }
        try await bench.build(sales(1))
        let store = CommitRecorder(bench.store)
        let new = bench.projections(sales(2), on: store) {
            $0.batchLimit = 2
            $0.versionRetention = .seconds(100)
        }
        try await withProjections(new) { projections in
            try await projections.untilCurrent()
            await bench.clock.waitForSleepers(1)
            #expect(try await bench.states() == ["sales 1 retired", "sales 2 active"])

            bench.clock.advance(by: .seconds(101))
            await bench.clock.waitForSleepers(1)
            try await projections.untilCurrent()
            await bench.clock.waitForSleepers(1)
            #expect(try await bench.states() == ["sales 2 active"])
        }
        #expect(store.deletions.value == [2, 2, 1, 1])
        #expect(try await bench.sums(sales(2)).count == 5)
        let rows = try await bench.store.fetch(DocumentQuery(kind: StoredProjectionRow.entityName))
        #expect(rows.count == 5)
    }

    @Test func aVersionThatAProgramDeclaresIsKept() async throws {
        try await bench.sell(1)
        try await bench.build(sales(2))
        let old = bench.projections(sales(1)) { $0.versionRetention = .seconds(100) }
        let new = bench.projections(sales(2)) { $0.versionRetention = .seconds(100) }
        try await withProjections(old) { old in
            try await withProjections(new) { new in
                for _ in 0..<8 {
                    try await old.untilCurrent()
                    try await new.untilCurrent()
                    await bench.clock.waitForSleepers(2)
                    bench.clock.advance(by: .seconds(30))
                }
                try await old.untilCurrent()
            }
        }
        #expect(try await bench.states() == ["sales 1 retired", "sales 2 active"])
    }

    @Test func aBuildIsRefusedIfItsEventsWerePruned() async throws {
        try await bench.sell(1)
        try await bench.build(sales(1))
        bench.clock.advance(by: .seconds(100))
        try await bench.sell(2)
        #expect(try await bench.store.prune(PruneRequest(eventsBefore: bench.clock.date)) == 1)

        // The rows that exist don't need the pruned event.
        try await bench.build(sales(1))
        #expect(try await bench.sums(sales(1)) == ["a 3"])

        let error = try await #require(throws: ProjectionError.self) { try await bench.build(sales(2)) }
        #expect(error.code == .eventsMissing)
        #expect(error.message.contains("between the positions 0 and 2 are missing"))
        #expect(try await bench.sums(sales(2, readableFrom: 1)) == ["a 3"])

        try await bench.build(sales(2, missingEvents: .skipped))
        #expect(try await bench.sums(sales(2)) == ["a 4"])
    }

    @Test func aBuildIsRefusedIfAllEventsWerePruned() async throws {
        try await bench.sell(1)
        bench.clock.advance(by: .seconds(100))
        #expect(try await bench.store.prune(PruneRequest(eventsBefore: bench.clock.date)) == 1)

        let error = try await #require(throws: ProjectionError.self) { try await bench.build(sales(1)) }
        #expect(error.code == .eventsMissing)
    }

    @Test func eventsThatArePrunedBeforeTheyAreAppliedAreNotPassedOver() async throws {
        try await bench.sell(1)
        try await bench.build(sales(1))
        try await bench.sell(2)
        bench.clock.advance(by: .seconds(100))
        try await bench.sell(4)
        #expect(try await bench.store.prune(PruneRequest(eventsBefore: bench.clock.date)) == 2)

        let error = try await #require(throws: ProjectionError.self) { try await bench.build(sales(1)) }
        #expect(error.code == .eventsMissing)
        #expect(try await bench.sums(sales(1)) == ["a 1"])
    }

    @Test func aProjectionThatNoProgramDeclaresCanBeRemoved() async throws {
        try await bench.sell(1)
        try await bench.build(sales(1))
        try await bench.projections().remove("sales")

        #expect(try await bench.states().isEmpty)
        #expect(try await bench.store.fetch(DocumentQuery(kind: StoredProjectionRow.entityName)).isEmpty)
        try await bench.build(sales(1))
        #expect(try await bench.sums(sales(1)) == ["a 1"])
    }

    @Test func readersSeeOneVersionDuringTheSwitch() async throws {
        try await bench.raise((1...60).map { Sold(product: "p\($0 % 7)", amount: 1) })
        try await bench.build(sales(1))
        let new = sales(2, readableFrom: 1)
        try await withProjections(bench.projections(new) { $0.batchLimit = 3 }) { projections in
            let reader = bench.projections(new)
            async let sums = withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        try await reader.read(new) { rows in try await rows.fetch().reduce(0) { $0 + $1.sum } }
                    }
                }
                return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            try await projections.untilCurrent()
            #expect(try await sums.isSubset(of: [60, 120]))
            #expect(try await bench.sums(new).count == 7)
        }
    }
}

/// Records the number of entities that each commit deletes.
private final class CommitRecorder: StoreDecorator {
    let base: any DeliveryStore
    let deletions = ConditionVariable<[Int]>([])

    init(_ base: any DeliveryStore) { self.base = base }

    func commit(_ changes: ChangeSet) async throws {
        if !changes.deletions.isEmpty { deletions.change { $0.append(changes.deletions.count) } }
        try await base.commit(changes)
    }
}
