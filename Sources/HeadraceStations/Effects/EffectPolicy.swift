// SPDX-License-Identifier: Apache-2.0

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
    /// `newest(1)` behaves like ``latest``. Effects with the same id count whatever their policy; those that began
    /// before the first effect with this policy count as the oldest, in no particular order.
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
