//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCommands
public import HeadraceStations

extension Effect {
    /// Has `command` carried out, and pours the action that `action` makes of the outcome.
    ///
    /// ```swift
    /// case .saveTapped:
    ///     return .dispatch(SaveDocument(state.text), by: dispatcher) { .saved($0) }
    /// ```
    ///
    /// The command is caused by the effect, and that by the action: what it leads to can be traced back to it. An error is
    /// an outcome, and so no failure of the effect; a cancelled effect pours nothing.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - dispatcher: Brings it to its handler, on the actor of the station.
    ///   - action: Makes an action of success or of the error.
    /// - Returns: The effect.
    public static func dispatch(
        _ command: some CQDCommand,
        by dispatcher: any CommandQueryDispatcher,
        as action: @escaping @Sendable (Result<Void, any Error>) -> Action
    ) -> Effect {
        .outcome(of: { try await dispatcher.dispatch(command) }, as: action)
    }

    /// Has `query` answered, and pours the action that `action` makes of the answer or of the error.
    ///
    /// What is said of ``dispatch(_:by:as:)`` holds here as well.
    public static func ask<Query: CQDQuery>(
        _ query: Query,
        by dispatcher: any CommandQueryDispatcher,
        as action: @escaping @Sendable (Result<Query.Value, any Error>) -> Action
    ) -> Effect {
        .outcome(of: { try await dispatcher.dispatch(query) }, as: action)
    }
}
