// SPDX-License-Identifier: Apache-2.0

extension Dripper {
    /// The same dripper, followed by a reaction to each change of a part of the state.
    ///
    /// ```swift
    /// Drip<State, Action> { state, action in
    ///     switch action {
    ///     case .volumeChanged(let volume): state.volume = volume
    ///     case .saved: state.saveCount += 1
    ///     }
    ///     return .none
    /// }
    /// .onChange(of: \.volume) { state, old, new in
    ///     state.volume = min(new, 10)
    ///     return .send(.saved)
    /// }
    /// ```
    ///
    /// The part is compared before and after each action that this dripper reduces. Changes by other drippers of a body
    /// aren't seen, so put the modifier on a dripper that contains all drippers which change the part.
    ///
    /// If the reaction changes the part itself, it is called again with that change. If the part still changes after 100
    /// calls for one action, the ``PourTask`` throws a ``StationError`` with the code
    /// `StationError.Code.endlessChange`; the state keeps the last value, and the effects of the reaction don't start.
    /// Two reactions to each other don't loop: a reaction sees only the changes of the dripper that it follows.
    ///
    /// - Parameters:
    ///   - value: Returns the part, usually a key path of it. It is called at least twice for each action.
    ///   - react: Changes the state in reaction to the new value, and returns an effect. Like a reducer, it must change nothing
    ///     but the state. The station calls it on its actor.
    /// - Returns: The dripper.
    public func onChange<Value: Equatable>(
        of value: @escaping (_ state: State) -> Value,
        _ react: @escaping (_ state: inout State, _ old: Value, _ new: Value) -> Effect<Action>
    ) -> some Dripper<State, Action> {
        ChangeReaction(base: self, value: value, react: react)
    }
}
