// SPDX-License-Identifier: Apache-2.0

import HeadraceTesting
import Testing

@testable import HeadraceInspector

@Suite struct RateHistoryTests {
    @Test func aMessageCountsInTheSecondOfItsEnd() {
        var rates = RateHistory()
        rates.add(kind: "command", duration: .milliseconds(1), isFailure: false, second: 5)
        rates.add(kind: "command", duration: .milliseconds(1), isFailure: true, second: 5)
        rates.add(kind: "query", duration: .milliseconds(1), isFailure: false, second: 7)
        rates.add(kind: "something new", duration: .milliseconds(1), isFailure: false, second: 7)

        let points = rates.points(upTo: 8)

        #expect(points.count == RateHistory.length)
        #expect(points.map(\.age) == (0..<RateHistory.length).reversed())
        #expect(points.first { $0.age == 3 }?.counts == [0, 2, 0, 0, 0, 0, 0, 0, 0])
        #expect(points.first { $0.age == 3 }?.failures == 1)
        #expect(points.first { $0.age == 1 }?.counts == [0, 0, 1, 0, 0, 0, 0, 0, 1])
        #expect(points.first { $0.age == 2 }?.median == nil)
    }

    @Test func secondsOlderThanTheHistoryAreForgotten() {
        var rates = RateHistory()
        rates.add(kind: "command", duration: .zero, isFailure: true, second: 1)

        #expect(rates.points(upTo: 1).reduce(0) { $0 + $1.failures } == 1)
        #expect(rates.points(upTo: 1 + RateHistory.length).reduce(0) { $0 + $1.failures } == 0)
        rates.add(kind: "command", duration: .zero, isFailure: false, second: 1 + RateHistory.length)
        #expect(rates.points(upTo: 1 + RateHistory.length).reduce(0) { $0 + $1.failures } == 0)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func latencyErrorsAreBelow20Percent(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var rates = RateHistory()
        let times = (0..<200).map { _ in Int.random(in: 2...5_000_000, using: &generator) }
        for time in times { rates.add(kind: "query", duration: .microseconds(time), isFailure: false, second: 0) }

        let point = try #require(rates.points(upTo: 0).last)
        let sorted = times.sorted()

        for (shown, index) in [(point.median, 99), (point.high, 197)] {
            let shown = try #require(shown)
            let truth = Double(sorted[index]) / 1_000
            #expect(shown > truth / 1.2 && shown < truth * 1.2, "seed \(seed): \(shown) for \(truth)")
        }
    }

    @Test func extremeDurationsAreCounted() throws {
        var rates = RateHistory()
        rates.add(kind: "query", duration: .zero, isFailure: false, second: 0)
        rates.add(kind: "query", duration: .seconds(1_000_000), isFailure: false, second: 0)
        rates.add(kind: "query", duration: .seconds(-1), isFailure: false, second: 0)

        #expect(rates.points(upTo: 0).last?.counts.reduce(0, +) == 3)
    }
}
