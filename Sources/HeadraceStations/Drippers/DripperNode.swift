// SPDX-License-Identifier: Apache-2.0

/// A dripper in the form that a station calls: built once, then called for each action.
///
/// The functions that build nodes are inlinable. The program then compiles their closures with its own types, so the
/// closures don't look up type metadata for each action.
@usableFromInline
struct DripperNode<State, Action: Sendable> {
    @usableFromInline let reduce: (inout State, Action) -> Effect<Action>

    /// Cancels the effects of children that no longer exist, in the namespace of this node.
    ///
    /// `nil` if the node can't have such children.
    @usableFromInline let cancelAbsentChildren: ((inout State, EffectNamespace) -> Void)?

    /// Returns the subscriptions that a state declares; `nil` if the node can't have any.
    @usableFromInline let declare: ((State) -> [DeclaredSubscription<Action>])?

    @inlinable
    init(
        reduce: @escaping (inout State, Action) -> Effect<Action>,
        cancelAbsentChildren: ((inout State, EffectNamespace) -> Void)? = nil,
        declare: ((State) -> [DeclaredSubscription<Action>])? = nil
    ) {
        self.reduce = reduce
        self.cancelAbsentChildren = cancelAbsentChildren
        self.declare = declare
    }

    /// Creates a node that calls all `parts` in their order.
    @inlinable
    init(_ parts: [DripperNode]) {
        let cancellations = parts.compactMap(\.cancelAbsentChildren)
        let cancelAbsentChildren: ((inout State, EffectNamespace) -> Void)? =
            cancellations.isEmpty
            ? nil : { state, namespace in for cancel in cancellations { cancel(&state, namespace) } }
        let declarations = parts.compactMap(\.declare)
        let declare: ((State) -> [DeclaredSubscription<Action>])? =
            declarations.isEmpty ? nil : { state in declarations.flatMap { $0(state) } }
        switch parts.count {
        case 0:
            self.init { _, _ in .none }
        case 1:
            self = parts[0]
        default:
            let reducers = parts.map(\.reduce)
            self.init(
                reduce: { state, action in
                    var effect = Effect<Action>.none
                    for reduce in reducers { effect.add(reduce(&state, action)) }
                    return effect
                },
                cancelAbsentChildren: cancelAbsentChildren,
                declare: declare
            )
        }
    }
}
