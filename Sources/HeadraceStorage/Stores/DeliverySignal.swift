// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Notifies relays in this process that their store has committed new deliveries.
///
/// The signal carries no data and loses no notification: a waiter passes the last position that it has seen, and
/// returns at once if the signal has advanced since.
public final class DeliverySignal: Sendable {
    private struct State {
        var position: UInt64 = 0
        var lastWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        var patientWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Creates a signal with the position 0.
    public init() {}

    /// Number of notifications so far.
    public var position: UInt64 { state.withLock { $0.position } }

    /// Resumes all waiters.
    public func notify() {
        let woken = state.withLock { state in
            state.position += 1
            defer {
                state.waiters.removeAll()
                state.patientWaiters.removeAll()
            }
            return (state.waiters, state.patientWaiters)
        }
        for waiter in woken.0.values { waiter.resume() }
        for waiter in woken.1 { waiter.resume() }
    }

    /// Does the same as ``wait(after:)``, but ignores cancellation.
    package func waitRegardless(after position: UInt64) async {
        await withCheckedContinuation { waiter in
            let isNow = state.withLock { state in
                if state.position > position { return true }
                state.patientWaiters.append(waiter)
                return false
            }
            if isNow { waiter.resume() }
        }
    }

    /// Returns when a notification after `position` arrives, or at once if it has already arrived.
    ///
    /// - Throws: `CancellationError`.
    public func wait(after position: UInt64) async throws {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
                // The cancellation handler takes the lock too. Either it ran before, and the task is cancelled here, or
                // it runs after, and finds the waiter.
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.position > position { return .success(()) }
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
