// SPDX-License-Identifier: Apache-2.0

/// A replay of a journal, forwards and backwards.
///
/// It runs no effects and needs no station.
///
/// ```swift
/// let replay = ActionReplay(journal, initialState: Counter.State()) { Counter() }
/// replay.go(to: replay.count)
/// replay.stepBack()
/// print(replay.state.count)
/// ```
///
/// Drippers that depend only on the state and the action reach the identical state. If the state is a value, the replay
/// keeps each 64th state, and goes back from the nearest of them. If the state is an object, it goes back by replaying
/// from the start.
public final class ActionReplay<State, Action: Sendable> {
    private static var stride: Int { 64 }

    /// The actions.
    public let journal: ActionJournal<Action>

    /// Number of actions that are reduced in ``state``.
    public private(set) var position = 0

    /// The state after ``position`` actions.
    public private(set) var state: State

    private let makeState: () -> State
    private let node: DripperNode<State, Action>

    /// The states after 0, 64, 128, … actions; empty if the state is an object.
    private var kept: [State] = []

    /// Number of actions in the journal.
    public var count: Int { journal.actions.count }

    /// Creates a replay at the position before the first action.
    ///
    /// - Parameters:
    ///   - journal: The journal.
    ///   - initialState: Makes the initial state of the station. The replay calls it for each start.
    ///   - dripper: The drippers that reduce the actions.
    public init<D: Dripper>(
        _ journal: ActionJournal<Action>,
        initialState: @autoclosure @escaping () -> State,
        @DripperBuilder<State, Action> dripper: () -> D
    ) where D.State == State, D.Action == Action {
        self.journal = journal
        makeState = initialState
        node = NodeBuilder().makeNode(of: dripper())
        state = initialState()
        if !(State.self is AnyObject.Type) { kept = [state] }
    }

    /// Reduces the next action and returns it; `nil` at the end.
    @discardableResult
    public func step() -> Action? {
        guard position < count else { return nil }
        let action = journal.actions[position]
        _ = node.reduce(&state, action)
        position += 1
        if !kept.isEmpty, position == kept.count * Self.stride { kept.append(state) }
        return action
    }

    /// Goes back by one action and returns it; `nil` at the start.
    @discardableResult
    public func stepBack() -> Action? {
        guard position > 0 else { return nil }
        let action = journal.actions[position - 1]
        go(to: position - 1)
        return action
    }

    /// Goes to the state after `position` actions.
    ///
    /// - Parameter position: From 0 to ``count``.
    public func go(to position: Int) {
        precondition(
            (0...count).contains(position),
            "The journal has no position \(position). To fix, pass a position from 0 to \(count)."
        )
        if position < self.position {
            if kept.isEmpty {
                state = makeState()
                self.position = 0
            } else {
                let index = min(position / Self.stride, kept.count - 1)
                state = kept[index]
                self.position = index * Self.stride
            }
        }
        while self.position < position { step() }
    }
}
