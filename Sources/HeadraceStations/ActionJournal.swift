// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceJSON

/// The actions of a station in the order in which they were reduced.
///
/// It contains the actions that the program has poured, and the actions that effects have sent and poured.
///
/// ```swift
/// let recording = station.record()
/// station.pour(.increase)
/// try recording.journal.jsonLines().write(to: file)
/// ```
///
/// Its text form is JSON with one action in each line. An ``ActionReplay`` reduces the actions again.
public struct ActionJournal<Action: Sendable>: Sendable {
    /// The actions, in the order of their reductions.
    public var actions: [Action]

    /// Creates a journal of `actions`.
    public init(_ actions: [Action] = []) {
        self.actions = actions
    }
}

extension ActionJournal: Equatable where Action: Equatable {}

extension ActionJournal where Action: Codable {
    /// Reads a journal from JSON with one action in each line.
    ///
    /// Empty lines are ignored, and so are the header and the state in a file of the inspector.
    ///
    /// - Throws: ``StationError`` with the code `StationError.Code.malformedJournal` and the number of the line.
    public init(jsonLines: Data) throws {
        actions = []
        let lines = jsonLines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated().dropFirst(JournalFile.startLength(of: lines)) where !line.isEmpty {
            do {
                actions.append(try JSONDocumentDecoder.decode(Action.self, from: line))
            } catch {
                throw StationError.malformedJournal(line: index + 1, error)
            }
        }
    }

    /// Returns the journal as JSON with one action in each line.
    ///
    /// Equal journals have the same text.
    ///
    /// - Throws: The error that encoding an action throws.
    public func jsonLines() throws -> Data {
        var lines = Data()
        for action in actions {
            lines.append(try JSONDocumentEncoder.encode(action))
            lines.append(UInt8(ascii: "\n"))
        }
        return lines
    }
}

/// A recording of the actions that a station reduces.
///
/// It ends when it is stopped or released.
@MainActor
public final class ActionRecording<Action: Sendable> {
    /// The actions that were recorded so far.
    public private(set) var journal = ActionJournal<Action>()

    private var isStopped = false

    init() {}

    /// Ends the recording; its journal stays as it is.
    public func stop() {
        isStopped = true
    }

    /// Records an action, and returns whether the recording goes on.
    func take(_ action: Action) -> Bool {
        if isStopped { return false }
        journal.actions.append(action)
        return true
    }
}

extension Station {
    /// Begins to record each action that the station reduces.
    public func record() -> ActionRecording<Action> {
        let recording = ActionRecording<Action>()
        core.observeActions { [weak recording] action in
            MainActor.assumeIsolated { recording?.take(action) ?? false }
        }
        return recording
    }
}

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

    /// The journal whose actions are replayed.
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
