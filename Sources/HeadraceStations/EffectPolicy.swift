// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

extension Effect {
    /// The same effect with an id, with which ``cancel(id:)`` cancels it.
    ///
    /// The id is valid only in this child of this station.
    ///
    /// - Parameters:
    ///   - id: The id of the effect. Several effects with one id can run at once.
    ///   - cancelInFlight: Whether running effects with this id are cancelled before this effect begins. Defaults to
    ///     `false`.
    /// - Returns: The effect.
    public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool = false) -> Effect {
        cancellable(id: id, policy: cancelInFlight ? .latest : .concurrent)
    }

    /// The same effect with an id, with which ``cancel(id:)`` cancels it.
    ///
    /// The `policy` decides when the effect begins while others with the id are running.
    public func cancellable(id: some Hashable & Sendable, policy: EffectPolicy) -> Effect {
        isNone ? self : Effect(.identified(EffectID(id), policy, self))
    }
}

/// The rule for an effect that should begin while effects with the same id are running.
public struct EffectPolicy: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case concurrent, latest, drop
        case queue(limit: Int)
        case newest(count: Int)
        case oldest(count: Int)
    }

    let kind: Kind

    /// The effect begins at once and runs concurrently with the others.
    public static let concurrent = EffectPolicy(kind: .concurrent)

    /// The running effects are cancelled, and the effect begins.
    public static let latest = EffectPolicy(kind: .latest)

    /// The effect is dropped.
    public static let drop = EffectPolicy(kind: .drop)

    /// The effect waits until the effects before it have ended.
    ///
    /// If the queue is full, the effect is dropped.
    ///
    /// - Parameter limit: Maximum number of waiting effects. `limit` must not be negative.
    /// - Returns: The policy.
    public static func queue(limit: Int) -> EffectPolicy {
        precondition(limit >= 0, "A queue can't hold \(limit) effects. To fix, pass a limit of 0 or more.")
        return EffectPolicy(kind: .queue(limit: limit))
    }

    /// The newest `count` effects run: if as many are running, the oldest of them is cancelled, and the effect begins.
    ///
    /// `newest(1)` behaves like ``latest``. Effects with the same id count whatever their policy.
    ///
    /// - Parameter count: Maximum number of running effects. `count` must be at least 1.
    /// - Returns: The policy.
    public static func newest(_ count: Int) -> EffectPolicy {
        precondition(count > 0, "A policy can't run \(count) effects. To fix, pass a count of 1 or more.")
        return EffectPolicy(kind: .newest(count: count))
    }

    /// The oldest `count` effects run: if as many are running, the effect is dropped.
    ///
    /// `oldest(1)` behaves like ``drop``. Effects with the same id count whatever their policy.
    ///
    /// - Parameter count: Maximum number of running effects. `count` must be at least 1.
    /// - Returns: The policy.
    public static func oldest(_ count: Int) -> EffectPolicy {
        precondition(count > 0, "A policy can't run \(count) effects. To fix, pass a count of 1 or more.")
        return EffectPolicy(kind: .oldest(count: count))
    }
}

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

/// The effect that a throttle begins at the end of an interval.
public struct TrailingEffect: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case none, first, latest }

    let kind: Kind

    /// No effect: the effects of the interval are dropped.
    public static let none = TrailingEffect(kind: .none)

    /// The first effect that arrived in the interval; the later effects are dropped.
    public static let first = TrailingEffect(kind: .first)

    /// The latest effect that arrived in the interval; the earlier effects are cancelled.
    public static let latest = TrailingEffect(kind: .latest)
}

/// The interval of a throttle, and the effects that it begins.
@usableFromInline
struct ThrottleRule: Sendable {
    let interval: Duration

    /// Whether an effect that arrives outside of an interval begins at once.
    let leading: Bool

    let trailing: TrailingEffect
}
