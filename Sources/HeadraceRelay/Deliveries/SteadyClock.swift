// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import HeadraceCore
package import HeadraceStorage
import Synchronization

/// A wall clock without short jumps, for decisions that can't be undone: what is too old is deleted.
///
/// After a jump, the time goes on as the monotonic clock does. A jump that lasts for the patience is taken over. A clock that is
/// wrong from the start isn't noticed.
package final class SteadyClock: Sendable {
    private struct State {
        /// A time and its instant, from which the time goes on.
        var anchor: (date: Date, instant: ContinuousClock.Instant)?

        /// The instant at which the wall clock was first seen to have jumped.
        var jump: ContinuousClock.Instant?
    }

    private let wallClock: @Sendable () -> Date
    private let clock: any TimeSource
    private let tolerance: Duration
    private let patience: Duration
    private let state = Mutex(State())

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - wallClock: Returns the time, which can jump.
    ///   - clock: The monotonic clock.
    ///   - tolerance: The largest difference that isn't a jump.
    ///   - patience: The duration after which a jump is taken over.
    package init(
        _ wallClock: @escaping @Sendable () -> Date,
        clock: any TimeSource,
        tolerance: Duration = .seconds(5),
        patience: Duration = .seconds(600)
    ) {
        self.wallClock = wallClock
        self.clock = clock
        self.tolerance = tolerance
        self.patience = patience
    }

    /// The time.
    package var now: Date {
        let (date, instant) = (wallClock(), clock.now)
        return state.withLock { state in
            guard let anchor = state.anchor else {
                state.anchor = (date, instant)
                return date
            }
            let expected = anchor.date.advanced(by: anchor.instant.duration(to: instant))
            if abs(date.timeIntervalSince(expected)) > tolerance / .seconds(1) {
                let jump = state.jump ?? instant
                state.jump = jump
                if jump.duration(to: instant) < patience { return expected }
            }
            state.anchor = (date, instant)
            state.jump = nil
            return date
        }
    }
}

extension DeliveryStore {
    /// The clock of the store, or of this machine if the store has none.
    package var relayClock: @Sendable () -> Date { wallClock ?? { SystemValues.current.date() } }
}
