//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How long to wait between attempts: longer each time, and not all for the same time.
///
/// Without jitter the pauses are `base`, `base * factor`, `base * factor * factor`, up to `longest`. Jitter shortens
/// each by a random part of itself, so that what failed together is not repeated together.
///
/// Source: Marc Brooker, Exponential Backoff And Jitter,
/// <https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/>.
public struct Backoff: Hashable, Sendable {
    /// The pause after the first attempt.
    public let base: Duration

    /// By how much each pause is longer than the one before; 1 for equal ones.
    public let factor: Double

    /// What no pause exceeds.
    public let longest: Duration

    /// Up to which part of itself a pause is shortened: from 0, not at all, to 1, down to nothing.
    public let jitter: Double

    /// Creates a back-off; `base` and `longest` must not be negative, nor `factor` be less than 1.
    public init(
        base: Duration = .milliseconds(50),
        factor: Double = 2,
        longest: Duration = .seconds(5),
        jitter: Double = 0.5
    ) {
        precondition(base >= .zero && longest >= .zero, "A pause cannot be negative. To fix, give 0 or more.")
        precondition(factor >= 1 && factor.isFinite, "Pauses cannot shrink. To fix, give a factor from 1 on.")
        precondition((0...1).contains(jitter), "Jitter is a part of the pause. To fix, give 0 to 1.")
        self.base = base
        self.factor = factor
        self.longest = longest
        self.jitter = jitter
    }

    /// How long to wait after attempt `attempt`, counting from 1.
    ///
    /// - Complexity: O(*n*) in `attempt`, until the longest pause is reached.
    public func pause(
        afterAttempt attempt: Int,
        using generator: inout some RandomNumberGenerator
    ) -> Duration {
        let pause = longestPause(afterAttempt: attempt)
        if jitter == 0 { return pause }
        // From 0 to just under 1, by one number of any generator: one that repeats itself cannot make this hang.
        let random = Double(generator.next() >> 11) * 0x1p-53
        return pause * (1 - jitter * random)
    }

    /// How long to wait after attempt `attempt` at the most, counting from 1: without jitter.
    ///
    /// - Complexity: As of ``pause(afterAttempt:using:)``.
    package func longestPause(afterAttempt attempt: Int) -> Duration {
        var pause = min(base, longest)
        var step = 1
        while step < attempt, factor > 1, .zero < pause, pause < longest {
            // By division, as the product may be more than a `Duration` can hold.
            pause = (pause < longest / factor) ? pause * factor : longest
            step += 1
        }
        return pause
    }
}
