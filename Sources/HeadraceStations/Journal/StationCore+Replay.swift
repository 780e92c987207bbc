// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HeadraceJSON

/// Replays of journals on a copy of the state: the station doesn't change, and no effect runs.
extension StationCore {
    /// The JSON of the state; `nil` if its type isn't `Codable`.
    var stateJSON: Data? { Self.json(of: state) }

    /// Reduces the actions of `file`, and passes the changes of each to `receiver`.
    func replay(_ file: JournalFile, to receiver: some JournalReplayReceiver) throws {
        let decoded = try file.decoded(State.self, Action.self)
        var state = decoded.state
        var last = StateSnapshot(of: state)
        receiver.begin(StateSnapshot().changes(to: last))
        for action in decoded.actions {
            _ = reduce(&state, action)
            let snapshot = StateSnapshot(of: state)
            receiver.add(Reduction(action: action, changes: last.changes(to: snapshot)))
            last = snapshot
        }
    }

    /// The state after the first `count` actions of `file`.
    func state(after count: Int, of file: JournalFile) throws -> State {
        let decoded = try file.decoded(State.self, Action.self)
        var state = decoded.state
        for action in decoded.actions.prefix(count) { _ = reduce(&state, action) }
        return state
    }

    /// The JSON of the state after all actions of `file`.
    func stateJSON(after file: JournalFile) throws -> Data? {
        Self.json(of: try state(after: file.actions.count, of: file))
    }

    private static func json(of state: State) -> Data? {
        guard let state = state as? any Codable else { return nil }
        return try? JSONDocumentEncoder.encode(state)
    }
}

/// The state of a station, and its changes from then on.
package struct StationInspection<Changes> {
    /// All properties of the state, as changes from nothing.
    package let properties: [StateChange]

    /// The JSON of the state; `nil` if its type isn't `Codable`.
    package let state: Data?

    /// The changes of each later action.
    package let changes: Changes
}

extension StationInspection: Sendable where Changes: Sendable {}
