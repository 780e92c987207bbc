// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

extension Dripper {
    /// The same dripper, with a property that is equal in all stations that share it.
    ///
    /// ```swift
    /// Drip<State, Action> { state, action in
    ///     switch action {
    ///     case .fontSizeChanged(let size): state.settings.fontSize = size
    ///     case .settingsChanged: break
    ///     }
    ///     return .none
    /// }
    /// .sharing(\.settings, with: settings, action: Action.toSettingsChanged)
    /// ```
    ///
    /// An action that changes the property writes the shared value when it was reduced, and an effect of the action waits
    /// until it is saved. If saving fails, the effect fails, and the value in memory is kept. For each change by others, the
    /// station pours the action with the new value. This modifier sets the property, then the dripper reduces the action
    /// too. If the dripper changes the new value, for example to a maximum, that is written. The limits of all stations need a
    /// common value. If they have none, the stations stop after 100 of such changes in a row, and keep different values.
    ///
    /// When the station or the child with the property is created, the shared value wins. Put `shared.value` in the initial
    /// state, so that no action is needed. If the property and the shared value change at the same time, the merge rule of
    /// the ``SharedState`` decides.
    ///
    /// All drippers of the station or of the child can change the property. If a parent changes the property of its child, for
    /// example because it replaces the state of the child, the child receives the shared value again.
    ///
    /// A modifier after this modifier sees the new values as changes, and a modifier before it doesn't. So put
    /// ``Dripper/onChange(of:_:)`` after it.
    ///
    /// - Parameters:
    ///   - property: Key path of the property.
    ///   - shared: The shared value.
    ///   - action: The case of the action that brings a new value.
    /// - Returns: The dripper.
    public func sharing<Value: Equatable & Sendable>(
        _ property: WritableKeyPath<State, Value>,
        with shared: SharedState<Value>,
        action: Case<Action, Value>
    ) -> some Dripper<State, Action> {
        SharingDripper(base: self, property: property, shared: shared, action: action)
    }
}

/// A dripper with a property that a shared state keeps equal.
struct SharingDripper<Base: Dripper, Value: Equatable & Sendable>: PrimitiveDripper {
    typealias State = Base.State
    typealias Action = Base.Action

    let base: Base
    let property: WritableKeyPath<State, Value>
    let shared: SharedState<Value>
    let action: Case<Action, Value>

    func makeNode(in builder: NodeBuilder) -> DripperNode<State, Action> {
        let node = builder.makeNode(of: base)
        let key = SubscriptionKey(number: builder.makeNumber(), id: EffectID("shared \(String(naming: Value.self))"))
        builder.addLevelModifier { writing($0, key) }
        return DripperNode(
            reduce: { state, given in
                if let value = action.extract(given) { state[keyPath: property] = value }
                return node.reduce(&state, given)
            },
            cancelAbsentChildren: node.cancelAbsentChildren,
            declare: { state in
                (node.declare?(state) ?? []) + [declaration(key, state[keyPath: property])]
            }
        )
    }

    /// Returns the node of all drippers of the station or of the child, which also writes their changes of the property.
    private func writing(_ node: DripperNode<State, Action>, _ key: SubscriptionKey) -> DripperNode<State, Action> {
        DripperNode(
            reduce: { state, given in
                let old = state[keyPath: property]
                var effect = node.reduce(&state, given)
                let new = state[keyPath: property]
                let brought = action.extract(given)
                if new != old || brought.map({ $0 != new }) ?? false {
                    effect.add(change(key, from: old, to: new, brought: brought))
                }
                return effect
            },
            cancelAbsentChildren: node.cancelAbsentChildren,
            declare: node.declare
        )
    }

    private func change(
        _ key: SubscriptionKey,
        from old: Value,
        to new: Value,
        brought: Value?
    ) -> Effect<Action> {
        let shared = shared
        let change = SharedChange(key: key) { link, executor in
            if let link = link as? SharedLink<Value> {
                if !link.write(new, insteadOf: old, brought: brought) { return nil }
            } else {
                shared.write(new, insteadOf: old)
            }
            return shared.beginSave(on: executor)
        }
        return Effect(.share(change))
    }

    private func declaration(_ key: SubscriptionKey, _ value: Value) -> DeclaredSubscription<Action> {
        DeclaredSubscription(
            key: key,
            isImplicit: true,
            begin: {
                let link = SharedLink(shared, known: value)
                let embed = action.embed
                let effect = Effect<Action>.run { pour in
                    for await _ in link.changes {
                        guard let value = link.takeIncoming() else { continue }
                        pour(embed(value))
                        link.endIncoming()
                    }
                }
                return SubscriptionStart(effect: effect, object: link, first: link.takeIncoming().map(embed))
            },
            update: { link in
                guard let link = link as? SharedLink<Value> else { return (.none, nil) }
                switch link.check(value) {
                case .equal: return (.none, nil)
                case .overwritten(let shared): return (.none, action.embed(shared))
                case .refused(let base): return (change(key, from: base, to: value, brought: base), nil)
                }
            }
        )
    }
}
