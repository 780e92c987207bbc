// SPDX-License-Identifier: Apache-2.0

/// A dripper with a reaction to the changes of a part of its state.
struct ChangeReaction<Base: Dripper, Value: Equatable>: PrimitiveDripper {
    typealias State = Base.State
    typealias Action = Base.Action

    /// Maximum number of calls of the reaction for one action.
    private static var limit: Int { 100 }

    let base: Base
    let value: (State) -> Value
    let react: (inout State, Value, Value) -> Effect<Action>

    func makeNode(in builder: NodeBuilder) -> DripperNode<State, Action> {
        let node = builder.makeNode(of: base)
        return DripperNode(
            reduce: { state, action in
                let old = value(state)
                var effect = node.reduce(&state, action)
                effect.add(reaction(to: old, &state))
                return effect
            },
            cancelAbsentChildren: node.cancelAbsentChildren,
            declare: node.declare
        )
    }

    /// Calls the reaction until the value no longer changes, and returns its effects.
    private func reaction(to old: Value, _ state: inout State) -> Effect<Action> {
        var effect = Effect<Action>.none
        var old = old
        for _ in 0..<Self.limit {
            let new = value(state)
            if new == old { return effect }
            effect.add(react(&state, old, new))
            old = new
        }
        if value(state) == old { return effect }
        return .fail(StationError.endlessChange(of: Value.self, in: State.self, limit: Self.limit))
    }
}
