// SPDX-License-Identifier: Apache-2.0

extension Effect {
    /// Runs asynchronous work, and pours the action that `action` makes from its result.
    ///
    /// ```swift
    /// return .outcome(of: { try await client.score() }) { .scoreLoaded($0) }
    /// ```
    ///
    /// Use it to turn the result of a command or a query into an action. Errors become actions too. A cancelled effect
    /// pours nothing.
    ///
    /// - Parameters:
    ///   - operation: The work, which begins on the actor of the station. Its value doesn't need to be `Sendable`
    ///     because it stays on that actor.
    ///   - action: Makes an action from the value or the error of `operation`.
    /// - Returns: The effect.
    public static func outcome<Value>(
        of operation: nonisolated(nonsending) @escaping @Sendable () async throws -> Value,
        as action: @escaping @Sendable (Result<Value, any Error>) -> Action
    ) -> Effect {
        .run { pour in
            let result: Result<Value, any Error>
            do {
                result = .success(try await operation())
            } catch {
                result = .failure(error)
            }
            pour(action(result))
        }
    }
}
