// SPDX-License-Identifier: Apache-2.0

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
