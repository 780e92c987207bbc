// SPDX-License-Identifier: Apache-2.0

extension TaskLocal {
    /// Binds the task-local variable to `value` while `operation` runs on the actor of the caller.
    ///
    /// `withValue` alone leaves the caller's actor. Only a closure that captures an isolated parameter stays there.
    @inlinable
    package nonisolated(nonsending) func binding<Result>(
        _ value: Value,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        try await bind(value, isolation: #isolation, operation)
    }

    @inlinable
    package func bind<Result>(
        _ value: Value,
        isolation: isolated (any Actor)?,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        try await withValue(value) {
            _ = isolation
            return try await operation()
        }
    }
}
