// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceProjections
import HeadraceStorage
import HeadraceTesting
import Testing

/// Positions without an event: some were pruned, and some never had an event.
@Suite(.timeLimit(.minutes(2))) struct ProjectionGapTests {
    private let bench: ProjectionBench

    init() throws {
        bench = try ProjectionBench()
    }

    @Test func aPrunedEventIsMissingAlsoBehindAnEventThatWasKept() async throws {
        try await bench.sell(1)
        try await bench.build(sales(1))
        // The second event is pending, so it is kept.
        let pending = NewEvent(
            id: UUID(), name: Sold.eventName, version: 1, stream: nil, recordedAt: bench.clock.date,
            json: Data(#"{"product":"a","amount":2}"#.utf8))
        var changes = ChangeSet(events: [pending])
        changes.deliveries = [ChangeSet.NewDelivery(event: 0, subscription: "mails")]
        try await bench.store.commit(changes)
        try await bench.sell(4)
        bench.clock.advance(by: .seconds(100))
        try await bench.sell(8)
        #expect(try await bench.store.prune(PruneRequest(eventsBefore: bench.clock.date)) == 2)

        let error = try await #require(throws: ProjectionError.self) { try await bench.build(sales(1)) }
        #expect(error.code == .eventsMissing)
        #expect(error.message.contains("between the positions 2 and 4 are missing"))
        #expect(try await bench.sums(sales(1)) == ["a 1"])
    }

    @Test func prunedEventsAtTheEndOfTheLogAreMissing() async throws {
        try await bench.sell(1)
        try await bench.build(sales(1))
        try await bench.sell(2)
        bench.clock.advance(by: .seconds(100))
        #expect(try await bench.store.prune(PruneRequest(eventsBefore: bench.clock.date)) == 2)

        let error = try await #require(throws: ProjectionError.self) { try await bench.build(sales(1)) }
        #expect(error.code == .eventsMissing)
        #expect(error.message.contains("between the positions 1 and 3 are missing"))
    }

    @Test func aPositionThatNeverHadAnEventIsPassedOver() async throws {
        try await bench.sell(1, 2, 4)
        let store = StoreWithGap(bench.store, at: 2)
        for version in 1...2 {
            try await withProjections(bench.projections(sales(version), on: store)) { try await $0.untilCurrent() }
        }

        #expect(try await bench.sums(sales(1)) == ["a 5"])
        #expect(try await bench.sums(sales(2)) == ["a 10"])
    }

    @Test func anEventThatIsPrunedWhileItIsAppliedIsNotMissing() async throws {
        try await bench.sell(1)
        try await bench.build(sales(1))
        try await bench.sell(2)
        bench.clock.advance(by: .seconds(100))
        let store = PruningStore(bench.store, eventsBefore: bench.clock.date)
        try await withProjections(bench.projections(sales(1), on: store)) { try await $0.untilCurrent() }

        #expect(try await bench.sums(sales(1)) == ["a 3"])
        #expect(try await bench.store.events(after: 0, limit: 9).isEmpty)
    }
}

/// A store without the event at a position, as after a transaction that was rolled back.
private final class StoreWithGap: StoreDecorator {
    let base: any DeliveryStore
    private let gap: Int64

    init(_ base: any DeliveryStore, at gap: Int64) {
        self.base = base
        self.gap = gap
    }

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await base.events(after: position, limit: limit).filter { $0.position != gap }
    }
}

/// A store that prunes events as soon as they were read.
private final class PruningStore: StoreDecorator {
    let base: any DeliveryStore
    private let date: Date

    init(_ base: any DeliveryStore, eventsBefore date: Date) {
        self.base = base
        self.date = date
    }

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        let records = try await base.events(after: position, limit: limit)
        _ = try await base.prune(PruneRequest(eventsBefore: date))
        return records
    }
}
