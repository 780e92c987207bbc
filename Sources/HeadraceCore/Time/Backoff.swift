// SPDX-License-Identifier: Apache-2.0

/// Exponential back-off with jitter: the pauses between the attempts of an operation.
///
/// Without jitter, the pauses are `base`, `base * factor`, `base * factor * factor`, up to `longest`. Jitter shortens
/// each pause by a random fraction, so that operations which failed at the same time aren't retried at the same time.
///
/// Source: Marc Brooker, Exponential Backoff And Jitter,
/// <https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/>.
public struct Backoff: Hashable, Sendable {
    /// Pause after the first attempt.
    public let base: Duration

    /// Ratio of each pause to the previous pause, at least 1.
    public let factor: Double

    /// Upper limit of each pause.
    public let longest: Duration

    /// Largest fraction by which a pause is shortened: 0 for constant pauses, 1 for pauses that can be zero.
    public let jitter: Double

    /// Creates a back-off.
    ///
    /// - Precondition: `base` and `longest` must not be negative. `factor` must be at least 1, and `jitter` in `0...1`.
    public init(
        base: Duration = .milliseconds(50),
        factor: Double = 2,
        longest: Duration = .seconds(5),
        jitter: Double = 0.5
    ) {
        precondition(
            base >= .zero && longest >= .zero,
            "A pause of the back-off is negative. To fix, pass 0 or more for 'base' and 'longest'.")
        precondition(
            factor >= 1 && factor.isFinite, "The factor of the back-off is less than 1. To fix, pass 1 or more.")
        precondition(
            (0...1).contains(jitter), "The jitter of the back-off is out of range. To fix, pass a number from 0 to 1.")
        self.base = base
        self.factor = factor
        self.longest = longest
        self.jitter = jitter
    }

    /// Returns the pause after the attempt with the number `attempt`, counting from 1.
    ///
    /// - Complexity: O(*n*) in `attempt`, until the longest pause is reached.
    public func pause(
        afterAttempt attempt: Int,
        using generator: inout some RandomNumberGenerator
    ) -> Duration {
        let pause = longestPause(afterAttempt: attempt)
        if jitter == 0 { return pause }
        // In 0..<1, from a single number, so that a generator with a constant result can't cause an endless loop.
        let random = Double(generator.next() >> 11) * 0x1p-53
        return pause * (1 - jitter * random)
    }

    /// Returns the pause without jitter after the attempt with the number `attempt`, counting from 1.
    ///
    /// - Complexity: See ``pause(afterAttempt:using:)``.
    package func longestPause(afterAttempt attempt: Int) -> Duration {
        var pause = min(base, longest)
        var step = 1
        while step < attempt, factor > 1, .zero < pause, pause < longest {
            // The division prevents an overflow of the product.
            pause = (pause < longest / factor) ? pause * factor : longest
            step += 1
        }
        return pause
    }
}
