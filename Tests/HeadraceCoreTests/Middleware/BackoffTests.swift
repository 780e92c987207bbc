// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Testing

@Suite struct BackoffTests {
    private func pauses(_ backoff: Backoff, random: UInt64 = 0, attempts: Int = 5) -> [Duration] {
        var generator = ConstantGenerator(value: random)
        return (1...attempts).map { backoff.pause(afterAttempt: $0, using: &generator) }
    }

    @Test func pausesGrowByTheFactorUpToTheLongest() {
        let backoff = Backoff(base: .seconds(1), factor: 2, longest: .seconds(7), jitter: 0)

        #expect(pauses(backoff) == [1, 2, 4, 7, 7].map { .seconds($0) })
    }

    @Test func aFactorOfOneKeepsPausesConstant() {
        #expect(pauses(Backoff(base: .seconds(3), factor: 1, jitter: 0)) == Array(repeating: .seconds(3), count: 5))
    }

    @Test func theBaseIsLimitedByTheLongestPause() {
        #expect(pauses(Backoff(base: .seconds(9), longest: .seconds(2), jitter: 0), attempts: 1) == [.seconds(2)])
    }

    @Test func aBaseOfZeroMeansNoPause() {
        #expect(pauses(Backoff(base: .zero)) == Array(repeating: .zero, count: 5))
    }

    @Test func theLargestFactorsAndAttemptsDoNotOverflow() {
        let backoff = Backoff(base: .nanoseconds(1), factor: 1e300, longest: .seconds(Int64.max / 4), jitter: 0)
        var generator = ConstantGenerator(value: 0)

        #expect(backoff.pause(afterAttempt: .max, using: &generator) == .seconds(Int64.max / 4))
    }

    @Test func jitterShortensPausesByAtMostItsFraction() {
        let backoff = Backoff(base: .seconds(8), factor: 1, longest: .seconds(8), jitter: 0.25)
        var generator = SystemRandomNumberGenerator()

        for _ in 0..<1_000 {
            let pause = backoff.pause(afterAttempt: 1, using: &generator)
            #expect(Duration.seconds(6) <= pause && pause <= .seconds(8))
        }
        #expect(pauses(backoff, random: 0, attempts: 1) == [.seconds(8)])
    }

    @Test func equalGeneratorsMakeEqualJitter() {
        let backoff = Backoff()

        #expect(pauses(backoff, random: 1 << 63) == pauses(backoff, random: 1 << 63))
        #expect(pauses(backoff, random: 1 << 63) != pauses(backoff, random: 1 << 61))
    }
}

/// A generator with a constant result.
private struct ConstantGenerator: RandomNumberGenerator {
    var value: UInt64

    mutating func next() -> UInt64 { value }
}
