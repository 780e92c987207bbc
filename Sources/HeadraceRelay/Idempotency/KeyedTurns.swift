//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Lets one task at a time do what has a key, in the order in which they come; other keys go on beside it.
final class KeyedTurns: Sendable {
    private struct Waiter {
        let id: UInt64
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        /// Those that wait, by keys that are taken.
        var queues: [String: [Waiter]] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Runs `operation` when no other task does under `key`.
    ///
    /// - Throws: `CancellationError` where the task is cancelled while it waits; what `operation` throws.
    nonisolated(nonsending) func take<Result>(
        _ key: String,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await wait(for: key)
        defer { pass(key) }
        return try await operation()
    }

    private nonisolated(nonsending) func wait(for key: String) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The cancellation handler takes the lock too: it ran before, and the task is cancelled here, or it
                // runs after, and finds the waiter.
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.queues[key] == nil {
                        state.queues[key] = []
                        return .success(())
                    }
                    state.queues[key]?.append(Waiter(id: id, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let cancelled = state.withLock { state in
                state.queues[key]?.firstIndex { $0.id == id }.flatMap { state.queues[key]?.remove(at: $0) }
            }
            cancelled?.continuation.resume(throwing: CancellationError())
        }
    }

    private func pass(_ key: String) {
        let next = state.withLock { state -> Waiter? in
            guard let queue = state.queues[key], !queue.isEmpty else {
                state.queues[key] = nil
                return nil
            }
            return state.queues[key]?.removeFirst()
        }
        next?.continuation.resume()
    }
}
