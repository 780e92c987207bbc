// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HeadraceRelay

/// The rule of a shared rate limit.
@Suite struct StoredTokenBucketTests {
    /// One token each second, and three at once.
    private let rule = StoredTokenBucket(count: 1, interval: .seconds(1), burst: 3)
    private static let second: Int64 = 1_000_000_000
    private static let now: Int64 = 1_700_000_000 * second

    /// Takes tokens at `now` until there is none, and returns their number and the bucket.
    private func takeAll(from fullAgain: Int64?, at now: Int64) -> (count: Int, fullAgain: Int64?, until: Int64) {
        var (count, fullAgain) = (0, fullAgain)
        while true {
            switch rule.take(from: fullAgain, at: now) {
            case .taken(let next): (count, fullAgain) = (count + 1, next)
            case .empty(let until): return (count, fullAgain, until)
            }
        }
    }

    @Test func aBucketIsEmptyAfterTheBurstAndReceivesATokenInEachInterval() {
        let first = takeAll(from: nil, at: Self.now)
        #expect(first.count == 3)
        #expect(first.until == Self.now + Self.second)

        let next = takeAll(from: first.fullAgain, at: Self.now + 2 * Self.second)
        #expect(next.count == 2)
    }

    @Test func aClockThatWasADayAheadDelaysNoOtherProcess() {
        let wrong = takeAll(from: nil, at: Self.now + 86_400 * Self.second)

        let right = takeAll(from: wrong.fullAgain, at: Self.now)
        #expect(right.count == 1)
        #expect(right.until == Self.now + Self.second)
        #expect(takeAll(from: right.fullAgain, at: Self.now + Self.second).count == 1)
    }

    /// Two processes take turns, and neither receives tokens because of the other clock.
    @Test(arguments: [1, 5_000_000, second / 2, 10 * second, 59 * second] as [Int64])
    func clocksThatDifferByLessThanAMinuteGiveNoTokens(skew: Int64) {
        var fullAgain = takeAll(from: nil, at: Self.now + skew).fullAgain

        for _ in 0..<10 {
            for now in [Self.now, Self.now + skew] {
                let taken = takeAll(from: fullAgain, at: now)
                #expect(taken.count == 0)
                fullAgain = taken.fullAgain
            }
        }
    }

    @Test func aClockThatIsSlightlyAheadIsWaitedFor() {
        let ahead = takeAll(from: nil, at: Self.now + Self.second)

        #expect(takeAll(from: ahead.fullAgain, at: Self.now + Self.second).count == 0)
    }
}
