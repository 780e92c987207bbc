//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A subscription that a dripper declares for a state.
@usableFromInline
struct DeclaredSubscription<Action: Sendable> {
    var key: SubscriptionKey

    /// Returns the effect of the subscription, and an object that belongs to it; called when it starts.
    let begin: () -> (effect: Effect<Action>, object: AnyObject?)

    /// Called with the object after each action while the subscription stays declared, and returns an effect.
    let update: ((AnyObject) -> Effect<Action>)?

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
            begin: {
                let (effect, object) = begin()
                return (effect.map(embed), object)
            },
            update: update.map { update in { update($0).map(embed) } }
        )
    }
}

/// Identifies a subscription within a station.
struct SubscriptionKey: Hashable, Sendable {
    /// The children around the subscription, the outermost first.
    var path: [ChildKey] = []

    /// Number of the dripper that declares the subscription, counting from 1.
    let number: Int

    let id: EffectID
}
