// SPDX-License-Identifier: Apache-2.0

extension Station {
    /// Pours `action`, and returns the value of the first action with the case `result` that its work pours.
    ///
    /// ```swift
    /// let score = try await station.pour(.load, returning: Game.Action.toLoaded)
    /// ```
    ///
    /// The work is the effects of the action, the actions that they pour, and so on. `action` itself isn't a result. The
    /// method returns when the result was reduced; other work of the action goes on. Cancelling the calling task
    /// cancels the work. The call keeps the station alive.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - result: The case whose value is the result.
    /// - Returns: The value.
    /// - Throws: If the work ends without a result: the first error that an effect has thrown and not caught;
    ///   `MessageError` if a middleware refused an action; `CancellationError` if the work was cancelled;
    ///   ``StationError`` with the code `StationError.Code.noResult` otherwise.
    public func pour<Value: Sendable>(_ action: Action, returning result: Case<Action, Value>) async throws -> Value {
        try await core.pour(action, returning: result.extract)
    }

    /// Pours `action`, and returns or throws the value of the first action with the case `result` that its work pours.
    ///
    /// Use it for actions that hold a `Result`, such as the actions of ``Effect/outcome(of:as:)``. It behaves like the
    /// method for other values in all other respects.
    public func pour<Value: Sendable>(
        _ action: Action,
        returning result: Case<Action, Result<Value, any Error>>
    ) async throws -> Value {
        try await core.pour(action, returning: result.extract).get()
    }
}
