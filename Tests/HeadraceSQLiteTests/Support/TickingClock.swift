// SPDX-License-Identifier: Apache-2.0

#if SQLite
import HeadraceCore

/// A clock on which a sleeper wakes up with a tick.
struct TickingClock: TimeSource {
    private let ticks: AsyncStream<Void>

    let now = ContinuousClock.now
    var minimumResolution: Duration { .nanoseconds(1) }

    static func make() -> (clock: TickingClock, tick: AsyncStream<Void>.Continuation) {
        let (ticks, continuation) = AsyncStream<Void>.makeStream()
        return (TickingClock(ticks: ticks), continuation)
    }

    private init(ticks: AsyncStream<Void>) {
        self.ticks = ticks
    }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        for await _ in ticks { break }
        try Task.checkCancellation()
    }
}
#endif
