//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace

/// Allows serialized commands on a ``ReadAheadStore`` to read changes that are not stored yet.
///
/// Place it after `SerializingMiddleware`, which must hold the keys of a command.
public struct ReadAheadMiddleware: Middleware {
    /// Creates the middleware.
    public init() {}

    /// Handles `message`, with read-ahead if the task holds the keys of a serialized command.
    ///
    /// - Throws: `CancellationError`; the errors of `next`, or `StoreError` with the code `versionConflict` if `next`
    ///   has failed after it had read changes that were not stored.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        guard let keys = SerializingMiddleware.heldKeys, ReadAheadScope.current?.keys !== keys else {
            return try await next(message)
        }
        let scope = ReadAheadScope(holding: keys)
        return try await scope.run {
            do {
                return try await next(message)
            } catch {
                // A refusal is void if it depends on changes that don't exist.
                if try await !scope.allStored() { throw Self.staleRead }
                throw error
            }
        }
    }

    private static var staleRead: StoreError {
        StoreError(
            code: .versionConflict,
            message: "The command has read changes that could not be stored. Nothing was stored. To fix, send it again."
        )
    }
}
