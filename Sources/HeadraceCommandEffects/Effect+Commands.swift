// SPDX-License-Identifier: Apache-2.0

public import HeadraceCommands
public import HeadraceStations

extension Effect {
    /// Dispatches `command`, and pours (sends to the station) the action that `action` makes of the result.
    ///
    /// ```swift
    /// case .saveTapped:
    ///     return .dispatch(SaveDocument(state.text), by: dispatcher) { .saved($0) }
    /// ```
    ///
    /// If the command has a result, `action` receives it:
    ///
    /// ```swift
    /// case .reserveTapped:
    ///     return .dispatch(ReserveSeat(row: state.row), by: dispatcher) { .reserved($0) }
    /// ```
    ///
    /// The effect is the cause of the command, and the action that started the effect is the cause of the effect, so a trace
    /// leads back to that action. If the command fails, `action` receives the error, and the effect itself doesn't fail. A
    /// cancelled effect pours nothing.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - dispatcher: The dispatcher, which runs the handler on the actor of the station.
    ///   - action: Makes an action of the result.
    /// - Returns: The effect.
    public static func dispatch<Command: CQDCommand>(
        _ command: Command,
        by dispatcher: any CommandQueryDispatcher,
        as action: @escaping @Sendable (Result<Command.Output, any Error>) -> Action
    ) -> Effect {
        .outcome(of: { try await dispatcher.dispatch(command) }, as: action)
    }

    /// Dispatches `query`, and pours the action that `action` makes of the value or the error.
    ///
    /// It behaves like ``dispatch(_:by:as:)`` in all other respects.
    public static func ask<Query: CQDQuery>(
        _ query: Query,
        by dispatcher: any CommandQueryDispatcher,
        as action: @escaping @Sendable (Result<Query.Value, any Error>) -> Action
    ) -> Effect {
        .outcome(of: { try await dispatcher.dispatch(query) }, as: action)
    }
}
