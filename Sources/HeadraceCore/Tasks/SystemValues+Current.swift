// SPDX-License-Identifier: Apache-2.0

extension SystemValues {
    /// Stations and pipelines start tasks of their own, which receive the values by this registration.
    private static let registration: Void = CarriedValues.register(.ifPresent(SystemValues.$bound))

    /// Runs `operation` with `values` as ``current``, for its task, its child tasks, and the actions that it sends.
    ///
    /// - Returns: The result of `operation`.
    /// - Throws: The errors of `operation`.
    public static nonisolated(nonsending) func withCurrent<Result>(
        _ values: SystemValues,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        _ = registration
        return try await $bound.binding(values, operation)
    }

    /// The synchronous variant of the asynchronous method.
    public static func withCurrent<Result>(
        _ values: SystemValues,
        _ operation: () throws -> Result
    ) rethrows -> Result {
        _ = registration
        return try $bound.withValue(values, operation: operation)
    }
}
