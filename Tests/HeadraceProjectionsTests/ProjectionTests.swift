// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceProjections
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct ProjectionTests {
    private let bench: ProjectionBench

    init() throws {
        bench = try ProjectionBench()
    }

    @Test func eventsThatAnotherProcessHasAppliedMeanwhileAreNotAppliedAgain() async throws {
        let bench = try ProjectionBench()
        try await bench.sell(1, 2)
        let slow = SlowLog(bench.store)
        let late = bench.projections(sales(1), on: slow)
        try await withProjections(late) { late in
            // It has read the events, and hasn't applied them.
            await slow.gate.arrivals(1)
            try await bench.build(sales(1))
            slow.gate.open()
            try await late.untilCurrent()

            #expect(try await bench.sums(sales(1)) == ["a 3"])
        }
    }

    @Test func eventsAreAppliedInTheOrderOfTheLogAsSoonAsTheyAreCommitted() async throws {
        try await bench.sell(1, 2)
        try await withProjections(bench.projections(sales(1))) { projections in
            try await projections.untilCurrent()
            #expect(try await bench.sums(sales(1)) == ["a 3"])

            // The test clock stands still, so only the commits wake the projection.
            try await bench.sell(4, of: "b")
            try await bench.raise([Discontinued(product: "a"), Sold(product: "a", amount: 5)])
            try await projections.untilCurrent()
            #expect(try await bench.sums(sales(1)) == ["a 5", "b 4"])
        }
    }

    @Test func rowsAreFetchedByTheirIndexesInOrder() async throws {
        for (product, amount) in [("apple", -2), ("avocado", 30), ("banana", 7), ("blueberry", 0)] {
            try await bench.sell(amount, of: product)
        }
        try await bench.build(sales(1))

        let read = try await bench.projections(sales(1)).read(sales(1)) { rows in
            [
                try await rows.fetch(orderedBy: .descending(.sum), limit: 2),
                try await rows.fetch(where: [.isAtLeast(.sum, -2), .isBelow(.sum, 7)], orderedBy: .ascending(.sum)),
                try await rows.fetch(where: [.equals(.first, "b")]),
                try await rows.fetch(where: [.isOneOf(.sum, [30, 0]), .equals(.first, "a")]),
                [try await rows.find("banana"), try await rows.find("cherry")].compactMap { $0 },
            ]
            .map { $0.map(\.id) }
        }
        #expect(
            read == [
                ["avocado", "banana"], ["apple", "blueberry"], ["banana", "blueberry"], ["avocado"], ["banana"],
            ]
        )
    }

    @Test func rowsAreFetchedByAnEnumeration() async throws {
        let projection = Projection<Stock>("stock", version: 1).applying(Sold.self) { event, rows in
            rows.save(Stock(id: event.product, level: event.amount < 0 ? .empty : .full))
        }
        for (product, amount) in [("apple", -2), ("banana", 7), ("cherry", -1)] {
            try await bench.sell(amount, of: product)
        }

        try await withProjections(bench.projections(projection)) { try await $0.untilCurrent() }

        let read = try await bench.projections(projection).read(projection) { rows in
            [
                try await rows.fetch(where: [.equals(.level, Stock.Level.empty)]),
                try await rows.fetch(where: [.isOneOf(.level, [Stock.Level.full])]),
                try await rows.fetch(where: [.isAtLeast(.level, Stock.Level.full)]),
                try await rows.fetch(where: [.isBelow(.level, Stock.Level.full)]),
            ]
            .map { $0.map(\.id) }
        }
        #expect(read == [["apple", "cherry"], ["banana"], ["banana"], ["apple", "cherry"]])
    }

    @Test func anUnknownIndexIsRefused() async throws {
        try await bench.build(sales(1))

        let error = try await #require(throws: ProjectionError.self) {
            try await bench.projections(sales(1)).read(sales(1)) { rows in
                try await rows.fetch(where: [.equals(RowIndex("other") { $0.sum }, 1)])
            }
        }
        #expect(error.code == .unknownIndex)
    }

    @Test func functionsSeeTheChangesOfTheirBatch() async throws {
        let greatest = Projection<Sales>("greatest", version: 1).applying(Sold.self) { event, rows in
            rows.save(Sales(id: event.product, sum: event.amount))
            for row in try await rows.fetch(orderedBy: .descending(.sum)).dropFirst() { rows.delete(row.id) }
            #expect(rows.record.event.name == "sold")
        }
        try await bench.raise((1...20).map { Sold(product: "p\($0)", amount: $0 * 7 % 19) })
        try await bench.build(greatest)

        #expect(try await bench.sums(greatest) == ["p8 18"])
    }

    @Test func aFailingFunctionStopsTheProjectionBeforeItsEvent() async throws {
        let isBroken = Mutex(true)
        let projection = sales(1) { event in
            if event.amount == 3, isBroken.withLock(\.self) { throw Failure() }
        }
        try await bench.sell(1, 2, 3, 4)
        try await withProjections(bench.projections(projection)) { projections in
            let error = try await #require(throws: ProjectionError.self) { try await projections.untilCurrent() }
            #expect(error.code == .eventNotApplied)
            #expect(error.message.contains("can't apply 'sold' at position 3: Failure()"))
            let status = try #require(try await projections.status().first)
            #expect((status.position, status.pendingCount) == (2, 2))
            #expect(status.failure == error.message)

            isBroken.withLock { $0 = false }
            await bench.clock.waitForSleepers(1)
            bench.clock.advance(by: .seconds(1))
            try await projections.untilCurrent()
            #expect(try await bench.sums(projection) == ["a 10"])
            #expect(try await projections.status().first?.failure == nil)
        }
    }

    @Test func anEventOfALaterVersionWaitsForAProgramThatKnowsIt() async throws {
        let newer = Projection<Sales>("sales", version: 1).applying(NewerSold.self) { event, rows in
            try await rows.update(event.product, orInsert: Sales(id: event.product)) { $0.sum += event.amount }
        }
        try await bench.sell(1)
        try await bench.raise([NewerSold(product: "a", amount: 2)])
        try await bench.sell(4)

        await #expect(throws: ProjectionError.self) { try await bench.build(sales(1)) }
        #expect(try await bench.projections(sales(1)).status().map(\.position) == [1])
        // The first program was killed, so its lease must end.
        bench.clock.advance(by: .seconds(5))
        try await bench.build(newer)
        #expect(try await bench.sums(newer) == ["a 7"])
    }

    @Test func aStoreThatFailsIsTriedAgain() async throws {
        let store = FailingCommits(bench.store)
        try await bench.sell(1)
        try await withProjections(bench.projections(sales(1), on: store)) { projections in
            await #expect(throws: StoreError.self) { try await projections.untilCurrent() }
            store.isFailing.withLock { $0 = false }
            await bench.clock.waitForSleepers(1)
            bench.clock.advance(by: .seconds(1))
            try await projections.untilCurrent()
        }
        #expect(try await bench.sums(sales(1)) == ["a 1"])
    }

    @Test func theLagIsVisible() async throws {
        try await bench.sell(1)
        try await bench.build(sales(1))
        bench.clock.advance(by: .seconds(3))
        try await bench.sell(2, 3)
        bench.clock.advance(by: .seconds(7))

        let projections = bench.projections(sales(1))
        let status = try #require(try await projections.status().first)
        #expect((status.state, status.position, status.pendingCount) == (.active, 1, 2))
        #expect(status.lag(at: bench.clock.date) == .seconds(7))
        try await bench.build(sales(1))
        let current = try #require(try await projections.status().first)
        #expect(current.pendingCount == 0)
        #expect(current.lag(at: bench.clock.date) == .zero)
    }

    @Test func oneProcessAtATimeAppliesTheEvents() async throws {
        let log = ConditionVariable<[String]>([])
        func projection(_ process: String) -> Projection<Sales> {
            sales(1) { event in log.change { $0.append("\(process) \(event.amount)") } }
        }
        let first = bench.projections(projection("first"))
        try await bench.sell(1)
        let running = Task { try await first.run() }
        try await first.untilCurrent()
        // A shut down releases the projection; a process that is killed holds it until the end of its lease.
        running.cancel()
        try await running.value

        try await bench.sell(2)
        try await withProjections(bench.projections(projection("second"))) { second in
            await bench.clock.waitForSleepers(1)
            #expect(log.value == ["first 1"])
            for _ in 0..<5 {
                await bench.clock.waitForSleepers(1)
                bench.clock.advance(by: .seconds(1))
            }
            try await second.untilCurrent()
            #expect(log.value == ["first 1", "second 2"])
        }

        try await bench.sell(4)
        try await bench.build(projection("third"))
        #expect(log.value == ["first 1", "second 2", "third 4"])
        #expect(try await bench.sums(sales(1)) == ["a 7"])
    }

    @Test func twoProcessesThatIgnoreTheLeaseApplyEachEventOnce() async throws {
        let gate = Gate()
        let slow = bench.projections(sales(1) { _ in await gate.pass() })
        try await bench.sell(1)
        try await withProjections(slow) { slow in
            await gate.arrivals(1)
            try await bench.build(sales(1))
            gate.open()
            // It finds that its batch was applied, and waits for the lease.
            await bench.clock.waitForSleepers(1)
        }
        #expect(try await bench.sums(sales(1)) == ["a 1"])
    }

    @Test func projectionsRunOnceAndEnd() async throws {
        let projections = bench.projections(sales(1))
        let running = Task { try await projections.run() }
        try await projections.untilCurrent()
        #expect(projections.isRunning)
        projections.shutDown()
        try await running.value

        let again = await #expect(throws: ProjectionError.self) { try await projections.run() }
        #expect(again?.code == .alreadyRunning)
        let late = await #expect(throws: ProjectionError.self) { try await projections.untilCurrent() }
        #expect(late?.code == .ended)
    }

    @Test func withoutProjectionsTheServiceRunsUntilItIsShutDown() async throws {
        let projections = bench.projections()
        let running = Task { try await projections.run() }
        try await projections.untilCurrent()
        projections.shutDown()
        try await running.value
        #expect(!projections.isRunning)
    }

    // The clock stands still. So if a loop missed the shutdown, it would wait for ever.
    @Test func projectionsNeverMissTheirShutdown() async throws {
        let bench = try ProjectionBench()
        for round in 0..<1_000 {
            let projections = bench.projections(sales(1))
            let running = Task { try await projections.run() }
            try await projections.untilCurrent()

            bench.store.deliverySignal.notify()
            // The shutdown comes at another moment of the loop in each round, after 0 to 40 µs.
            let end = ContinuousClock.now.advanced(by: .nanoseconds(round % 400 * 100))
            while ContinuousClock.now < end {}
            projections.shutDown()

            try await running.value
        }
    }
}

private struct Failure: Error {}

private final class FailingCommits: StoreDecorator {
    let base: any DeliveryStore
    let isFailing = Mutex(true)

    init(_ base: any DeliveryStore) { self.base = base }

    func commit(_ changes: ChangeSet) async throws {
        if isFailing.withLock(\.self) { throw StoreError(code: .full, message: "There is no space left.") }
        try await base.commit(changes)
    }
}

/// A store that returns events only when the gate is open.
private final class SlowLog: StoreDecorator {
    let base: any DeliveryStore
    let gate = Gate()

    init(_ base: any DeliveryStore) {
        self.base = base
    }

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        let records = try await base.events(after: position, limit: limit)
        await gate.pass()
        return records
    }
}

private struct Stock: ProjectionRow {
    enum Level: Int, Codable { case empty, full }

    static var indexes: [RowIndex<Stock>] { [.level] }

    let id: String
    var level: Level
}

extension RowIndex<Stock> {
    fileprivate static var level: Self { RowIndex("level") { $0.level } }
}
