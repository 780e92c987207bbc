// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

extension Effect {
    /// Delays the effect until `interval` has passed without another effect with the same id.
    ///
    /// Another effect with the id restarts the interval, and replaces or cancels this effect. The interval is measured by
    /// the station's clock.
    public func debounce(id: some Hashable & Sendable, for interval: Duration) -> Effect {
        .concatenate(.sleep(for: interval), self).cancellable(id: id, cancelInFlight: true)
    }

    /// Begins the effect at once, unless an effect with the same id has begun less than `interval` ago.
    ///
    /// - Parameters:
    ///   - id: The id of the effect. ``cancel(id:)`` cancels running and waiting effects with this id.
    ///   - interval: The minimum time between the beginnings of two effects, by the station's clock.
    ///   - latest: Whether the latest of the early effects begins when `interval` has passed. If `false`, early effects
    ///     are dropped. To begin the first of them instead, use
    ///     ``throttle(id:for:leading:trailing:)``.
    /// - Returns: The effect.
    public func throttle(id: some Hashable & Sendable, for interval: Duration, latest: Bool) -> Effect {
        throttle(id: id, for: interval, trailing: latest ? .latest : .none)
    }

    /// Begins at most one effect with the id per interval: at its beginning, at its end, or both.
    ///
    /// An interval begins with an effect that arrives outside of an interval, and with each effect that begins. With the
    /// default `leading`, the Composable Architecture's `throttle(latest: false)` is `trailing: .first`, and its
    /// `throttle(latest: true)` is `trailing: .latest`.
    ///
    /// - Parameters:
    ///   - id: The id of the effect. ``cancel(id:)`` cancels running and waiting effects with this id.
    ///   - interval: The minimum time between the beginnings of two effects, by the station's clock.
    ///   - leading: Whether an effect that arrives outside of an interval begins at once. If `false`, it waits as the first
    ///     effect of a new interval. Defaults to `true`.
    ///   - trailing: The effect that begins at the end of the interval. It can't be ``TrailingEffect/none`` if `leading`
    ///     is `false`.
    /// - Returns: The effect.
    public func throttle(
        id: some Hashable & Sendable,
        for interval: Duration,
        leading: Bool = true,
        trailing: TrailingEffect
    ) -> Effect {
        precondition(
            leading || trailing != .none,
            "A throttle that begins no effect drops all of them. To fix, pass 'leading: true' or another 'trailing'."
        )
        let rule = ThrottleRule(interval: interval, leading: leading, trailing: trailing)
        return isNone ? self : Effect(.throttle(EffectID(id), rule, self))
    }

    /// Pours an action after each `interval`, until the effect is cancelled.
    ///
    /// The timer doesn't drift: a late action doesn't delay the actions after it. Missed actions are skipped.
    ///
    /// - Parameters:
    ///   - interval: The time between two actions, by the station's clock. `interval` must be positive.
    ///   - action: Makes each action.
    /// - Returns: The effect, which ends only when it is cancelled.
    public static func timer(every interval: Duration, _ action: @escaping @Sendable () -> Action) -> Effect {
        precondition(interval > .zero, "The interval of a timer must be positive. To fix, pass a positive interval.")
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

    /// Waits until `duration` has passed, by the station's clock.
    public static func sleep(for duration: Duration) -> Effect {
        .run { pour in
            let clock = pour.clock
            try await clock.sleep(until: clock.now.advanced(by: duration), tolerance: nil)
        }
    }
}
