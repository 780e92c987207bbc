// SPDX-License-Identifier: Apache-2.0

extension ActorStation {
    /// Pours `action`, and returns the value of the first action with the case `result` that its work pours.
    ///
    /// It behaves like the same method of ``Station``.
    public func pour<Value: Sendable>(_ action: Action, returning result: Case<Action, Value>) async throws -> Value {
        try await host.pour(action, returning: result.extract)
    }

    /// Pours `action`, and returns or throws the value of the first action with the case `result` that its work pours.
    ///
    /// Use it for actions that hold a `Result`, such as the actions of ``Effect/outcome(of:as:)``. It behaves like the
    /// method for other values in all other respects.
    public func pour<Value: Sendable>(
        _ action: Action,
        returning result: Case<Action, Result<Value, any Error>>
    ) async throws -> Value {
        try await host.pour(action, returning: result.extract).get()
    }
}
