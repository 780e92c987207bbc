// SPDX-License-Identifier: Apache-2.0

/// A subscription that a dripper declares for a state.
@usableFromInline
struct DeclaredSubscription<Action: Sendable> {
    var key: SubscriptionKey

    /// Whether a modifier has added the subscription; ``StateSubscriptions`` don't declare it.
    var isImplicit = false

    /// Called when the subscription starts.
    let begin: () -> SubscriptionStart<Action>

    /// Called with the object of the subscription after each action while the subscription stays declared.
    ///
    /// It returns an effect, and an action that is reduced before all actions that wait.
    let update: ((AnyObject) -> (effect: Effect<Action>, first: Action?))?

    /// Returns the subscription of a child as a subscription of its parent.
    @usableFromInline
    func within<Parent: Sendable>(
        _ child: ChildKey,
        _ embed: @escaping @Sendable (Action) -> Parent
    ) -> DeclaredSubscription<Parent> {
        var key = key
        key.path.insert(child, at: 0)
        return DeclaredSubscription<Parent>(
            key: key,
            isImplicit: isImplicit,
            begin: {
                let start = begin()
                return SubscriptionStart(
                    effect: start.effect.map(embed),
                    object: start.object,
                    first: start.first.map(embed)
                )
            },
            update: update.map { update in
                { object in
                    let (effect, first) = update(object)
                    return (effect.map(embed), first.map(embed))
                }
            }
        )
    }
}

/// The parts of a subscription that starts.
struct SubscriptionStart<Action: Sendable> {
    /// The effect that runs as long as the subscription is declared.
    let effect: Effect<Action>

    /// An object that belongs to the subscription.
    var object: AnyObject?

    /// An action that is reduced before all actions that wait.
    var first: Action?
}
