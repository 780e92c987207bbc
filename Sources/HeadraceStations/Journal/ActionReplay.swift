//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Reduces a journal again, forth and back: no effect runs, and no station is needed.
///
/// ```swift
/// let replay = ActionReplay(journal, initialState: Counter.State()) { Counter() }
/// replay.go(to: replay.count)
/// replay.stepBack()
/// print(replay.state.count)
/// ```
///
/// Drippers that depend on nothing but state and action come to the identical state. Where the state is a value, going back
/// takes the nearest of the states that are kept, one in 64; where it is an object, it begins anew.
public final class ActionReplay<State, Action: Sendable> {
    private static var stride: Int { 64 }

    /// The actions.
    public let journal: ActionJournal<Action>

    /// How many of the actions are reduced in ``state``.
    public private(set) var position = 0

    /// The state after that many actions.
    public private(set) var state: State

    private let makeState: () -> State
    private let node: DripperNode<State, Action>

    /// The states after 0, 64, 128, … actions; empty where they are objects.
    private var kept: [State] = []

    /// How many actions there are.
    public var count: Int { journal.actions.count }

    /// Creates a replay that stands before the first action.
    ///
    /// - Parameters:
    ///   - journal: The actions.
    ///   - initialState: Makes the state that the station began with; anew for each beginning.
    ///   - dripper: What reduces the actions.
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

    /// Takes the last action back and returns it; `nil` at the beginning.
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
            "The journal has \(count) actions. To fix, go to a position from 0 to that, not to \(position)."
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
