//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Holds those who wait until something has ended, one way or the other.
final class Latch: Sendable {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct State {
        var outcome: Result<Void, any Error>?
        var waiters: [Int: Waiter] = [:]
        var lastID = 0
    }

    private let state = Mutex(State())

    /// Ends it; the first outcome counts.
    func open(_ outcome: Result<Void, any Error>) {
        let waiters = state.withLock { state -> [Waiter] in
            if state.outcome != nil { return [] }
            state.outcome = outcome
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(with: outcome) }
    }

    /// Returns when it has ended.
    ///
    /// - Throws: What it has ended with; `CancellationError`.
    nonisolated(nonsending) func wait() async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if let outcome = state.outcome { return outcome }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters[id] = waiter
                    return nil
                }
                if let outcome { waiter.resume(with: outcome) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: CancellationError())
        }
    }
}
