// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HeadraceCore
import Synchronization

/// The callers that wait until a relay is idle, or until a projection is current.
package final class IdleWaiters: Sendable {
    /// What a caller waits for.
    private struct Wait {
        let ticket: UInt64

        /// The position in the log.
        let position: Int64
    }

    private struct State {
        var lastTicket: UInt64 = 0
        var waiters = WaiterQueue<Wait, Date?>()
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Creates a list without callers.
    package init() {}

    /// The ticket of the last caller that waits; `nil` if no caller waits.
    package var lastTicket: UInt64? { state.withLock { $0.waiters.lastCondition?.ticket } }

    /// Waits until ``resume(through:nextDue:)`` or ``resume(upTo:)`` covers this call; `wake` runs once the call waits.
    ///
    /// - Parameters:
    ///   - position: The position in the log for ``resume(upTo:)``.
    ///   - wake: Wakes the task that resumes callers.
    /// - Returns: The time at which the next delivery becomes due, if one waits for its time.
    /// - Throws: The error of ``fail(_:)``; ``RelayError`` if the relay has ended; `CancellationError`.
    package func wait(upTo position: Int64 = .max, wake: () -> Void) async throws -> Date? {
        try Task.checkCancellation()
        let waiter = try state.withLock { state in
            if state.hasEnded { throw RelayError.ended }
            state.lastTicket += 1
            return state.waiters.append(Wait(ticket: state.lastTicket, position: position))
        }
        wake()
        return try await waiter.value()
    }

    /// Resumes the callers with tickets up to `ticket`, because the relay has been idle since they began to wait.
    package func resume(through ticket: UInt64, nextDue: Date?) {
        endAll(with: .success(nextDue)) { $0.ticket <= ticket }
    }

    /// Resumes the callers that wait for `position` or an earlier one.
    package func resume(upTo position: Int64) {
        endAll(with: .success(nil)) { $0.position <= position }
    }

    /// Resumes all callers with `error`.
    package func fail(_ error: any Error) {
        endAll(with: .failure(error)) { _ in true }
    }

    /// Resumes all callers, and each later caller, with an error, because the relay has ended.
    package func end() {
        state.withLock { $0.hasEnded = true }
        fail(RelayError.ended)
    }

    private func endAll(with result: Result<Date?, any Error>, where isMet: (Wait) -> Bool) {
        for resumption in state.withLock({ $0.waiters.endAll(with: result, where: isMet) }) { resumption.resume() }
    }
}
