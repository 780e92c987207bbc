//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

extension Effect {
    /// Begins when `interval` has passed without another effect under `id` being returned; that one begins instead.
    ///
    /// Where it has begun already, the next one cancels it. Time is that of the station's clock.
    public func debounce(id: some Hashable & Sendable, for interval: Duration) -> Effect {
        .concatenate(.sleep(for: interval), self).cancellable(id: id, cancelInFlight: true)
    }

    /// Begins at once, unless one under `id` has begun less than `interval` ago.
    ///
    /// - Parameters:
    ///   - id: What to call it; ``cancel(id:)`` ends what waits and what is under way.
    ///   - interval: The least time between two beginnings, by the station's clock.
    ///   - latest: Whether the last of those that came too early begins when `interval` has passed; otherwise
    ///     none of them is done.
    /// - Returns: The effect.
    public func throttle(id: some Hashable & Sendable, for interval: Duration, latest: Bool) -> Effect {
        isNone ? self : Effect(.throttle(EffectID(id), interval, latest: latest, self))
    }

    /// Pours an action after each `interval`, until it is cancelled.
    ///
    /// Beats keep to their instants: one that comes late does not shift those after it, and those that were missed
    /// meanwhile are not made up for.
    ///
    /// - Parameters:
    ///   - interval: From one to the next, by the station's clock; above zero.
    ///   - action: Makes the action of each beat.
    /// - Returns: The effect, which ends only when it is cancelled.
    public static func timer(every interval: Duration, _ action: @escaping @Sendable () -> Action) -> Effect {
        precondition(interval > .zero, "A timer needs an interval above zero. To fix, give it one.")
        return .run { pour in
            let clock = pour.clock
            var next = clock.now.advanced(by: interval)
            while true {
                try await clock.sleep(until: next, tolerance: nil)
                pour(action())
                let now = clock.now
                next = next.advanced(by: interval)
                if next <= now {
                    let late = next.duration(to: now) / interval
                    next = next.advanced(by: interval * Int(late.rounded(.down)))
                    if next <= now { next = next.advanced(by: interval) }
                }
            }
        }
    }

    /// Ends when `duration` has passed by the station's clock.
    public static func sleep(for duration: Duration) -> Effect {
        .run { pour in
            let clock = pour.clock
            try await clock.sleep(until: clock.now.advanced(by: duration), tolerance: nil)
        }
    }
}
