// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HeadraceResilience

@Suite struct TokenBucketsTests {
    private let start = ContinuousClock.now

    private func buckets(size: Int = 3, maximumCount: Int = 100) -> TokenBuckets<Int> {
        TokenBuckets(size: size, interval: .seconds(2), maximumCount: maximumCount)
    }

    private func seconds(_ seconds: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    @Test func aFullBucketReturnsItsTokensAndThenTheInstantOfTheNextToken() {
        var buckets = buckets()

        let taken = (0..<5).map { _ in buckets.take(1, at: start) }

        #expect(taken == [nil, nil, nil, seconds(2), seconds(2)])
    }

    @Test func tokensAreRefilledOneByOne() {
        var buckets = buckets()
        for _ in 0..<3 { _ = buckets.take(1, at: start) }

        #expect(buckets.take(1, at: seconds(1)) == seconds(2))
        #expect(buckets.take(1, at: seconds(2)) == nil)
        #expect(buckets.take(1, at: seconds(2)) == seconds(4))
        #expect(buckets.take(1, at: seconds(7)) == nil)
        #expect(buckets.take(1, at: seconds(7)) == nil)
        #expect(buckets.take(1, at: seconds(7)) == seconds(8))
    }

    @Test func aBucketIsNotFilledBeyondItsSize() {
        var buckets = buckets(size: 1)
        _ = buckets.take(1, at: start)

        let taken = (0..<2).map { _ in buckets.take(1, at: seconds(1_000)) }

        #expect(taken == [nil, seconds(1_002)])
    }

    @Test func anEarlierInstantThanTheLastRefillsNoToken() {
        var buckets = buckets(size: 1)
        _ = buckets.take(1, at: seconds(10))

        #expect(buckets.take(1, at: start) == seconds(12))
    }

    @Test func ofEquallyEmptyBucketsThoseUsedLastRemain() {
        var buckets = buckets(size: 1, maximumCount: 100)
        for key in 0...100 { _ = buckets.take(key, at: start) }

        let remaining = (0...100).filter { key in
            var copy = buckets
            return copy.take(key, at: start) != nil
        }

        #expect(remaining == Array(26...100))
    }

    @Test func keysHaveSeparateBuckets() {
        var buckets = buckets(size: 1)

        #expect((1...3).map { buckets.take($0, at: start) } == [nil, nil, nil])
        #expect((1...3).map { buckets.take($0, at: start) } == [seconds(2), seconds(2), seconds(2)])
    }

    @Test func noIntervalHasMoreTokensThanTheBurstAndTheRefill() {
        var buckets = buckets()
        var passed = 0

        for second in 0..<1_000 {
            for _ in 0..<4 where buckets.take(1, at: seconds(second)) == nil { passed += 1 }
        }

        #expect(passed == 3 + 999 / 2)
    }

    @Test func fullBucketsAreRemovedFirst() {
        var buckets = buckets(size: 1, maximumCount: 4)
        for key in 1...4 { _ = buckets.take(key, at: start) }

        _ = buckets.take(5, at: seconds(2))

        #expect(buckets.count == 1)
        #expect(buckets.take(5, at: seconds(2)) != nil)
    }

    @Test(arguments: [1, 2, 3, 4, 100])
    func itNeverKeepsMoreKeysThanItMay(maximumCount: Int) {
        var buckets = buckets(maximumCount: maximumCount)
        for key in 0..<1_000 {
            _ = buckets.take(key, at: start)
            #expect((1...maximumCount).contains(buckets.count))
        }
    }

    @Test func theEmptiestBucketIsRemovedLast() {
        var buckets = buckets(maximumCount: 4)
        for _ in 0..<3 { _ = buckets.take(0, at: start) }

        for key in 1...1_000 { _ = buckets.take(key, at: start) }

        #expect(buckets.take(0, at: start) == seconds(2))
    }
}
