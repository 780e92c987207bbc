// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceProjections
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

/// The removal of versions beside programs that build them, apply events, or are stuck.
@Suite(.timeLimit(.minutes(2))) struct ProjectionRemovalTests {
    private let bench: ProjectionBench

    init() throws {
        bench = try ProjectionBench()
    }

    @Test func aVersionThatIsBuiltAgainKeepsItsRows() async throws {
        try await bench.sell(1)
        try await bench.build(sales(1))
        let slow = StoreOfSlowRows(bench.store)
        let removal = Task { try await bench.projections(on: slow).remove("sales") }
        // It has found the version, and hasn't read its rows.
        await slow.gate.arrivals(1)
        try await bench.projections().remove("sales")
        try await bench.build(sales(1))
        slow.gate.open()
        try await removal.value

        #expect(try await bench.states() == ["sales 1 active"])
        #expect(try await bench.sums(sales(1)) == ["a 1"])
    }

    @Test func aProjectionCanBeRemovedAfterTheShutDown() async throws {
        try await bench.sell(1)
        try await bench.build(sales(1))
        let projections = bench.projections()
        projections.shutDown()

        try await projections.remove("sales")

        #expect(try await bench.states().isEmpty)
        #expect(try await bench.store.fetch(DocumentQuery(kind: StoredProjectionRow.entityName)).isEmpty)
    }

    @Test func aVersionThatItsProgramCannotContinueIsKept() async throws {
        let newer = Projection<Sales>("sales", version: 2).applying(NewerSold.self) { event, rows in
            try await rows.update(event.product, orInsert: Sales(id: event.product)) { $0.sum += event.amount }
        }
        try await bench.sell(1)
        try await bench.build(sales(1))
        try await bench.raise([NewerSold(product: "a", amount: 2)])
        let stuck = bench.projections(sales(1)) {
            $0.versionRetention = .seconds(100)
            $0.backoff = Backoff(base: .seconds(20), factor: 100, longest: .seconds(2_000))
        }
        let current = bench.projections(newer) { $0.versionRetention = .seconds(100) }
        try await withProjections(stuck) { stuck in
            await #expect(throws: ProjectionError.self) { try await stuck.untilCurrent() }
            try await withProjections(current) { current in
                for _ in 0..<8 {
                    try await current.untilCurrent()
                    await bench.clock.waitForSleepers(2)
                    bench.clock.advance(by: .seconds(26))
                }
                await bench.clock.waitForSleepers(2)
                try await current.untilCurrent()

                #expect(try await bench.states() == ["sales 1 retired", "sales 2 active"])
                #expect(try await bench.sums(sales(1)) == ["a 1"])
            }
        }
    }

    @Test func aRemovalThatFailsIsTriedAgainAndStopsNoOtherVersion() async throws {
        try await bench.sell(1)
        try await bench.build(sales(1))
        let store = FailingDeletions(bench.store)
        let new = bench.projections(sales(2), on: store) { $0.versionRetention = .seconds(100) }
        try await withProjections(new) { projections in
            try await projections.untilCurrent()
            await bench.clock.waitForSleepers(1)
            bench.clock.advance(by: .seconds(101))
            await bench.clock.waitForSleepers(1)
            #expect(try await bench.states() == ["sales 1 removing", "sales 2 active"])
            #expect(try await projections.status().map(\.failure) == [nil, nil])

            try await bench.sell(2)
            try await projections.untilCurrent()
            #expect(try await bench.sums(sales(2)) == ["a 6"])

            store.isFailing.withLock { $0 = false }
            await bench.clock.waitForSleepers(1)
            bench.clock.advance(by: .seconds(1))
            await bench.clock.waitForSleepers(1)
            #expect(try await bench.states() == ["sales 2 active"])
        }
    }

    @Test func eventsAreAppliedBetweenTheBatchesOfARemoval() async throws {
        for product in ["a", "b", "c"] { try await bench.sell(1, of: product) }
        try await bench.build(sales(1))
        let store = CommitLog(bench.store) { [bench] number in
            if number == 1 { try await bench.sell(1) }
        }
        let new = bench.projections(sales(2), on: store) {
            $0.batchLimit = 2
            $0.versionRetention = .seconds(100)
        }
        try await withProjections(new) { projections in
            try await projections.untilCurrent()
            await bench.clock.waitForSleepers(1)
            bench.clock.advance(by: .seconds(101))
            await store.commits.wait { $0.count == 6 }
        }
        #expect(store.commits.value == ["apply", "apply", "delete 2", "apply", "delete 1", "delete 1"])
    }
}

/// A store that reads the rows of projections only when the gate is open.
private final class StoreOfSlowRows: StoreDecorator {
    let base: any DeliveryStore
    let gate = Gate()

    init(_ base: any DeliveryStore) { self.base = base }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        if query.kind == StoredProjectionRow.entityName { await gate.pass() }
        return try await base.fetch(query)
    }
}

/// A store that can't delete anything.
final class FailingDeletions: StoreDecorator {
    let base: any DeliveryStore
    let isFailing = Mutex(true)

    init(_ base: any DeliveryStore) { self.base = base }

    func commit(_ changes: ChangeSet) async throws {
        if !changes.deletions.isEmpty, isFailing.withLock(\.self) {
            throw StoreError(code: .full, message: "There is no space left.")
        }
        try await base.commit(changes)
    }
}

/// Records the commits that change rows or delete anything.
private final class CommitLog: StoreDecorator {
    let base: any DeliveryStore
    let commits = ConditionVariable<[String]>([])
    private let deletions = Mutex(0)
    private let afterDeletion: @Sendable (Int) async throws -> Void

    /// `afterDeletion` runs after each commit that deletes something, with the number of such commits.
    init(_ base: any DeliveryStore, afterDeletion: @escaping @Sendable (Int) async throws -> Void) {
        self.base = base
        self.afterDeletion = afterDeletion
    }

    func commit(_ changes: ChangeSet) async throws {
        try await base.commit(changes)
        if !changes.deletions.isEmpty {
            commits.change { $0.append("delete \(changes.deletions.count)") }
            try await afterDeletion(
                deletions.withLock { count in
                    count += 1
                    return count
                })
        } else if changes.writes.contains(where: { $0.document.reference.kind == StoredProjectionRow.entityName }) {
            commits.change { $0.append("apply") }
        }
    }
}
