//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceCore
import Synchronization

/// The callers that wait until a relay is idle.
final class IdleWaiters: Sendable {
    private struct State {
        var lastTicket: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Date?, any Error>] = [:]
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// The ticket of the last caller that waits; `nil` if no caller waits.
    var lastTicket: UInt64? { state.withLock { $0.waiters.keys.max() } }

    /// Waits until ``resume(through:nextDue:)`` covers this call; `wake` runs once the call waits.
    ///
    /// - Returns: The time at which the next delivery becomes due, if one waits for its time.
    /// - Throws: The error of ``fail(_:)``; ``RelayError`` if the relay has ended; `CancellationError`.
    func wait(wake: () -> Void) async throws -> Date? {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return try await withCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                // The cancellation handler takes the lock too. Either it ran before, and the task is cancelled here, or it
                // runs after, and finds the waiter.
                let failure: (any Error)? = state.withLock { state in
                    if state.hasEnded { return RelayError.ended }
                    if Task.isCancelled { return CancellationError() }
                    state.waiters[ticket] = waiter
                    return nil
                }
                if let failure { return waiter.resume(throwing: failure) }
                wake()
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume(throwing: CancellationError())
        }
    }

    /// Resumes the callers with tickets up to `ticket`, because the relay has been idle since they began to wait.
    func resume(through ticket: UInt64, nextDue: Date?) {
        let idle = state.withLock { state in
            let idle = state.waiters.filter { $0.key <= ticket }
            state.waiters = state.waiters.filter { $0.key > ticket }
            return idle
        }
        for waiter in idle.values { waiter.resume(returning: nextDue) }
    }

    /// Resumes all callers with `error`.
    func fail(_ error: any Error) {
        for waiter in takeAll().values { waiter.resume(throwing: error) }
    }

    /// Resumes all callers, and each later caller, with an error, because the relay has ended.
    func end() {
        state.withLock { $0.hasEnded = true }
        fail(RelayError.ended)
    }

    private func takeAll() -> [UInt64: CheckedContinuation<Date?, any Error>] {
        state.withLock { state in
            defer { state.waiters.removeAll() }
            return state.waiters
        }
    }
}
