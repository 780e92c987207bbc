// SPDX-License-Identifier: Apache-2.0

/// An effect that runs as long as the state declares it; see ``StateSubscriptions``.
public struct StateSubscription<Action: Sendable>: Sendable {
    let id: EffectID
    let effect: Effect<Action>

    /// Creates a subscription.
    ///
    /// - Parameters:
    ///   - id: The identity of the subscription within its ``StateSubscriptions``. A subscription with another id is another
    ///     subscription, so put all values of the state that the effect uses into the id.
    ///   - effect: The effect. Its own ids, such as the id of a `debounce`, are valid only within the subscription.
    public init(_ id: some Hashable & Sendable, _ effect: Effect<Action>) {
        self.id = EffectID(id)
        self.effect = effect
    }
}

/// Collects the subscriptions of a state.
@resultBuilder
public enum StateSubscriptionBuilder<Action: Sendable> {
    /// Adds a subscription.
    public static func buildExpression(_ subscription: StateSubscription<Action>) -> [StateSubscription<Action>] {
        [subscription]
    }

    /// Adds subscriptions.
    public static func buildExpression(_ subscriptions: [StateSubscription<Action>]) -> [StateSubscription<Action>] {
        subscriptions
    }

    /// Joins the parts.
    public static func buildBlock(_ parts: [StateSubscription<Action>]...) -> [StateSubscription<Action>] {
        parts.flatMap(\.self)
    }

    /// Adds the content of an `if` without `else`, if its condition is true.
    public static func buildOptional(_ part: [StateSubscription<Action>]?) -> [StateSubscription<Action>] { part ?? [] }

    /// Adds the first branch of an `if` or a `switch`.
    public static func buildEither(first part: [StateSubscription<Action>]) -> [StateSubscription<Action>] { part }

    /// Adds the second branch of an `if` or a `switch`.
    public static func buildEither(second part: [StateSubscription<Action>]) -> [StateSubscription<Action>] { part }

    /// Adds the subscriptions of each iteration of a `for`.
    public static func buildArray(_ parts: [[StateSubscription<Action>]]) -> [StateSubscription<Action>] {
        parts.flatMap(\.self)
    }

    /// Adds the content of an `if #available`.
    public static func buildLimitedAvailability(_ part: [StateSubscription<Action>]) -> [StateSubscription<Action>] {
        part
    }
}
