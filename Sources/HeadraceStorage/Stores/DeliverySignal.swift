//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Tells a relay that its store, in this process, has committed something to deliver.
///
/// It carries nothing and loses nothing: whoever waits names what it has seen, and returns at once where there was more.
public final class DeliverySignal: Sendable {
    private struct State {
        var position: UInt64 = 0
        var lastWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        var patientWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Creates a signal that was never given.
    public init() {}

    /// How often it was given.
    public var position: UInt64 { state.withLock { $0.position } }

    /// Wakes everybody who waits.
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

    /// As ``wait(after:)``, without regard to cancellation.
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

    /// Returns when the signal was given after `position`, which may have been before.
    ///
    /// - Throws: `CancellationError`.
    public func wait(after position: UInt64) async throws {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
                // The cancellation handler takes the lock too: it ran before, and the task is cancelled here, or it
                // runs after, and finds the waiter.
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
