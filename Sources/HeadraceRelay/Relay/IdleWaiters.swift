// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HeadraceCore
import Synchronization

/// The callers that wait until a relay is idle, or until a projection is current.
package final class IdleWaiters: Sendable {
    private struct Waiter {
        let continuation: CheckedContinuation<Date?, any Error>

        /// The position in the log that the caller waits for.
        let position: Int64
    }

    private struct State {
        var lastTicket: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Creates a list without callers.
    package init() {}

    /// The ticket of the last caller that waits; `nil` if no caller waits.
    package var lastTicket: UInt64? { state.withLock { $0.waiters.keys.max() } }

    /// Waits until ``resume(through:nextDue:)`` or ``resume(upTo:)`` covers this call; `wake` runs once the call waits.
    ///
    /// - Parameters:
    ///   - position: The position in the log for ``resume(upTo:)``.
    ///   - wake: Wakes the task that resumes callers.
    /// - Returns: The time at which the next delivery becomes due, if one waits for its time.
    /// - Throws: The error of ``fail(_:)``; ``RelayError`` if the relay has ended; `CancellationError`.
    package func wait(upTo position: Int64 = .max, wake: () -> Void) async throws -> Date? {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return try await withCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The cancellation handler takes the lock too. Either it ran before, and the task is cancelled here, or it
                // runs after, and finds the waiter.
                let failure: (any Error)? = state.withLock { state in
                    if state.hasEnded { return RelayError.ended }
                    if Task.isCancelled { return CancellationError() }
                    state.waiters[ticket] = Waiter(continuation: continuation, position: position)
                    return nil
                }
                if let failure { return continuation.resume(throwing: failure) }
                wake()
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: ticket) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Resumes the callers with tickets up to `ticket`, because the relay has been idle since they began to wait.
    package func resume(through ticket: UInt64, nextDue: Date?) {
        resume(nextDue: nextDue) { number, _ in number <= ticket }
    }

    /// Resumes the callers that wait for `position` or an earlier one.
    package func resume(upTo position: Int64) {
        resume(nextDue: nil) { _, waiter in waiter.position <= position }
    }

    private func resume(nextDue: Date?, where condition: (UInt64, Waiter) -> Bool) {
        let ready = state.withLock { state in
            let ready = state.waiters.filter(condition)
            for number in ready.keys { state.waiters[number] = nil }
            return ready
        }
        for waiter in ready.values { waiter.continuation.resume(returning: nextDue) }
    }

    /// Resumes all callers with `error`.
    package func fail(_ error: any Error) {
        for waiter in takeAll().values { waiter.continuation.resume(throwing: error) }
    }

    /// Resumes all callers, and each later caller, with an error, because the relay has ended.
    package func end() {
        state.withLock { $0.hasEnded = true }
        fail(RelayError.ended)
    }

    private func takeAll() -> [UInt64: Waiter] {
        state.withLock { state in
            defer { state.waiters.removeAll() }
            return state.waiters
        }
    }
}
