// SPDX-License-Identifier: Apache-2.0

#if Simulations
import HeadraceCore
import HeadraceTesting
import Synchronization

/// Random numbers of one purpose, so that what one part of a simulation draws doesn't change what others draw.
final class RandomStream: Sendable {
    private let generator: Mutex<SeededGenerator>

    /// Creates the stream with the name `purpose` of the simulation with `seed`.
    init(seed: UInt64, purpose: String) {
        var mixer = WordMixer()
        mixer.mix(seed)
        mixer.mix(purpose)
        generator = Mutex(SeededGenerator(seed: mixer.value))
    }

    /// The stream as a source of random numbers.
    var numbers: RandomNumbers { RandomNumbers { self.next() } }

    func next() -> UInt64 { generator.withLock { $0.next() } }

    /// Returns whether an event with this probability happens.
    func happens(_ probability: Double) -> Bool {
        generator.withLock { Double.random(in: 0..<1, using: &$0) } < probability
    }

    /// Returns a number in `range`.
    func number(in range: ClosedRange<Int>) -> Int {
        generator.withLock { Int.random(in: range, using: &$0) }
    }

    /// Returns a duration in `range`, evenly distributed.
    func duration(in range: ClosedRange<Duration>) -> Duration {
        let part = generator.withLock { Double.random(in: 0...1, using: &$0) }
        return range.lowerBound + (range.upperBound - range.lowerBound) * part
    }

    /// Returns a duration with the mean `mean`: mostly short, and sometimes many times as long.
    func delay(mean: Duration) -> Duration {
        let part = generator.withLock { Double.random(in: 0.001...1, using: &$0) }
        return mean * (1 / part.squareRoot() - 1)
    }
}
#endif
