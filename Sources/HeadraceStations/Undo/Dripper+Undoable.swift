// SPDX-License-Identifier: Apache-2.0

extension Dripper {
    /// The same dripper, whose changes of a property can be undone and redone.
    ///
    /// ```swift
    /// Drip<State, Action> { state, action in
    ///     switch action {
    ///     case .typed(let text): state.text += text
    ///     case .cleared: state.text = ""
    ///     case .undo, .redo: break
    ///     }
    ///     return .none
    /// }
    /// .undoable(\.text, history: \.history) { action in
    ///     switch action {
    ///     case .undo: .undo
    ///     case .redo: .redo
    ///     case .typed: .step(mergedAs: "typing")
    ///     case .cleared: .step
    ///     }
    /// }
    /// ```
    ///
    /// A step is an action that changes the property. Undoing a step restores the value of the property before that step, and
    /// nothing else: the effects of the action aren't undone, and go on. An action that an effect has sent is a separate step
    /// if it changes the property, so it is undone first, unless its role is ``UndoRole/untracked``. A change by an
    /// action other than undo and redo clears the steps that could be redone. An undo without a step changes nothing.
    ///
    /// The dripper also reduces the actions for undo and redo, after the property was restored.
    ///
    /// If the property is shared, put this modifier after ``Dripper/sharing(_:with:action:)``. Then it sees the changes by
    /// others: such a change clears the steps that could be redone, so that a redo doesn't overwrite it.
    ///
    /// - Parameters:
    ///   - property: Key path of the property. Each step keeps one value of it.
    ///   - history: Key path of the history in the state.
    ///   - role: Returns the role of an action.
    /// - Returns: The dripper.
    public func undoable<Value: Equatable>(
        _ property: WritableKeyPath<State, Value>,
        history: WritableKeyPath<State, UndoHistory<Value>>,
        role: @escaping (_ action: Action) -> UndoRole
    ) -> some Dripper<State, Action> {
        UndoableDripper(base: self, property: property, history: history, role: role)
    }
}

/// A dripper whose changes of a property can be undone.
struct UndoableDripper<Base: Dripper, Value: Equatable>: PrimitiveDripper {
    typealias State = Base.State
    typealias Action = Base.Action

    let base: Base
    let property: WritableKeyPath<State, Value>
    let history: WritableKeyPath<State, UndoHistory<Value>>
    let role: (Action) -> UndoRole

    func makeNode(in builder: NodeBuilder) -> DripperNode<State, Action> {
        let node = builder.makeNode(of: base)
        return DripperNode(
            reduce: { state, action in
                let old = state[keyPath: property]
                switch role(action).kind {
                case .undo:
                    if let value = state[keyPath: history].undo(from: old) { state[keyPath: property] = value }
                    return node.reduce(&state, action)
                case .redo:
                    if let value = state[keyPath: history].redo(from: old) { state[keyPath: property] = value }
                    return node.reduce(&state, action)
                case .step(let group):
                    let effect = node.reduce(&state, action)
                    if state[keyPath: property] != old { state[keyPath: history].add(old, mergedAs: group) }
                    return effect
                case .untracked:
                    let effect = node.reduce(&state, action)
                    if state[keyPath: property] != old { state[keyPath: history].clearRedo() }
                    return effect
                }
            },
            cancelAbsentChildren: node.cancelAbsentChildren,
            declare: node.declare
        )
    }
}
