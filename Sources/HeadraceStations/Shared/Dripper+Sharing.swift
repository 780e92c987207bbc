//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
    /// An action that changes the property writes the shared value when it was reduced, and an effect of the action saves it.
    /// If saving fails, the effect fails, and the value in memory is kept. For each change by others, the station pours
    /// the action with the new value. This modifier sets the property, then the dripper reduces the action too.
    ///
    /// When the station is created, the shared value wins. Put `shared.value` in the initial state, so that no action is
    /// needed. If the property and the shared value change at the same time, the merge rule of the ``SharedState`` decides.
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
        let number = builder.makeNumber()
        return DripperNode(
            reduce: { state, given in
                if let value = action.extract(given) { state[keyPath: property] = value }
                return node.reduce(&state, given)
            },
            cancelAbsentChildren: node.cancelAbsentChildren,
            declare: { state in
                (node.declare?(state) ?? []) + [declaration(number, state[keyPath: property])]
            }
        )
    }

    private func declaration(_ number: Int, _ value: Value) -> DeclaredSubscription<Action> {
        DeclaredSubscription(
            key: SubscriptionKey(number: number, id: EffectID("shared \(String(naming: Value.self))")),
            begin: {
                let link = SharedLink(shared, known: value)
                let embed = action.embed
                var effect = Effect<Action>.run { pour in
                    for await _ in link.changes {
                        guard let value = link.takeIncoming() else { continue }
                        pour(embed(value))
                        link.endIncoming()
                    }
                }
                if let value = link.takeIncoming() { effect = .merge(.send(embed(value)), effect) }
                return (effect, link)
            },
            update: { link in
                guard let link = link as? SharedLink<Value> else { return .none }
                return link.propertyHas(value)
            }
        )
    }
}
