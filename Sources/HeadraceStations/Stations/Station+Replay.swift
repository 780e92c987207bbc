// SPDX-License-Identifier: Apache-2.0

package import Foundation

extension Station {
    /// The state, and its changes if they are iterated before the next action.
    package func inspect(limit: Int) -> StationInspection<Feed<Reduction<Action>>> {
        StationInspection(properties: core.properties, state: core.stateJSON, changes: changes(limit: limit))
    }

    /// Reduces the actions of `file` on a copy of the state, and passes the changes of each to `receiver`.
    ///
    /// - Throws: ``StationError`` if the file isn't of a station with these types.
    package func replay(_ file: JournalFile, to receiver: some JournalReplayReceiver) throws {
        try core.replay(file, to: receiver)
    }

    /// The JSON of the state after all actions of `file`.
    package func stateJSON(after file: JournalFile) throws -> Data? { try core.stateJSON(after: file) }

    /// Pours the action that `makeAction` makes from the state after `count` actions of `file`.
    package func pour(_ makeAction: (State) -> Action, after count: Int, of file: JournalFile) throws {
        _ = core.pour(makeAction(try core.state(after: count, of: file)))
    }
}

extension ActorStation {
    /// The state, and its changes.
    package func inspect(limit: Int) async -> StationInspection<AsyncStream<Reduction<Action>>> {
        await host.inspect(limit: limit)
    }

    /// Reduces the actions of `file` on a copy of the state, and passes the changes of each to `receiver`.
    ///
    /// - Throws: ``StationError`` if the file isn't of a station with these types.
    package func replay(_ file: JournalFile, to receiver: some JournalReplayReceiver) async throws {
        try await host.replay(file, to: receiver)
    }

    /// The JSON of the state after all actions of `file`.
    package func stateJSON(after file: JournalFile) async throws -> Data? { try await host.stateJSON(after: file) }

    /// Pours the action that `makeAction` makes from the state after `count` actions of `file`.
    package func pour(
        _ makeAction: @Sendable (State) -> Action, after count: Int, of file: JournalFile
    ) async throws {
        try await host.pour(makeAction, after: count, of: file)
    }
}
