// SPDX-License-Identifier: Apache-2.0

/// The rule of a token bucket that is stored as the instant at which it is full again.
///
/// All times are integers, in nanoseconds since 1970, so all processes compute the same result. `TokenBuckets`
/// has the same rule.
struct StoredTokenBucket: Sendable {
    enum Decision: Equatable {
        /// A token was taken. The bucket is full again at this instant.
        case taken(fullAgain: Int64)

        /// The bucket is empty until this instant.
        case empty(until: Int64)
    }

    /// Time until the bucket receives a token, in nanoseconds.
    let interval: Int64

    /// Time to fill a bucket that contains one token, in nanoseconds.
    let tolerance: Int64

    /// Creates the rule for `count` tokens in each `interval`, and at most `burst` tokens at once.
    ///
    /// The distance of two tokens is rounded up to a nanosecond.
    init(count: Int, interval: Duration, burst: Int) {
        let total = interval.nanoseconds
        self.interval = max(1, total / Int64(count) + (total % Int64(count) == 0 ? 0 : 1))
        let (tolerance, isOverflown) = self.interval.multipliedReportingOverflow(by: Int64(burst - 1))
        self.tolerance = isOverflown ? Int64.max / 2 : min(tolerance, Int64.max / 2)
    }

    /// The largest difference of two clocks that both count as right, in nanoseconds: a minute.
    private static let skew: Int64 = 60_000_000_000

    /// Takes a token at `now` from a bucket that was stored with `fullAgain`; `nil` if it isn't stored.
    ///
    /// The clocks of processes may differ by ``skew``. An instant that is later than the instant of an empty bucket by more than that
    /// was stored by a wrong clock. It counts as a bucket with one token, so that no process waits until the other clocks reach
    /// the instant.
    func take(from fullAgain: Int64?, at now: Int64) -> Decision {
        // Times since 1970, half of the range, and a quarter of it fit, so no operation overflows.
        let isPossible = fullAgain.map { $0 - now <= tolerance + interval + Self.skew } ?? true
        let full = isPossible ? max(fullAgain ?? now, now) : now + tolerance
        let earliest = full - tolerance
        if earliest > now { return .empty(until: earliest) }
        return .taken(fullAgain: full + interval)
    }
}

extension Duration {
    /// The duration in nanoseconds, rounded down, at most a quarter of the range of `Int64`: 73 years.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let longest = Int64.max / 4
        guard seconds < longest / 1_000_000_000 else { return longest }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
