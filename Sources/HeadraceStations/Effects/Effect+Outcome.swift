//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Effect {
    /// Does asynchronous work and pours the action that `action` makes of its outcome.
    ///
    /// ```swift
    /// return .outcome(of: { try await client.score() }) { .scoreLoaded($0) }
    /// ```
    ///
    /// It is the way from a command or a query to an action: errors become actions, too. Cancelled, it pours nothing.
    ///
    /// - Parameters:
    ///   - operation: Begins on the actor of the station. Its value need not be `Sendable`, since it stays there.
    ///   - action: Makes an action of what `operation` has returned or thrown.
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
