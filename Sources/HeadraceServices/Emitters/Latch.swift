//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Holds waiting tasks until it is opened with an outcome.
final class Latch: Sendable {
    private typealias Continuation = CheckedContinuation<Void, any Error>

    private struct State {
        var outcome: Result<Void, any Error>?
        var waiting: [Int: Continuation] = [:]
        var lastID = 0
    }

    private let state = Mutex(State())

    /// Opens the latch.
    ///
    /// Only the first outcome counts.
    func open(_ outcome: Result<Void, any Error>) {
        let waiting = state.withLock { state -> [Continuation] in
            if state.outcome != nil { return [] }
            state.outcome = outcome
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume(with: outcome) }
    }

    /// Returns when the latch is open.
    ///
    /// - Throws: The error of the outcome; `CancellationError`.
    nonisolated(nonsending) func wait() async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if let outcome = state.outcome { return outcome }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiting[id] = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(throwing: CancellationError())
        }
    }
}
