// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value that is set once and that any number of tasks can wait for.
///
/// ```swift
/// let isStored = OneShot<Bool>()
///
/// isStored.set(true)
///
/// // in other tasks, before or after
/// let wasStored = try await isStored.wait()
/// ```
///
/// For an outcome that can be an error, use `OneShot<Result<Success, any Error>>`. A waiting task is suspended and
/// blocks no thread. A task that waits for a value that is never set waits until it is cancelled.
package final class OneShot<Value: Sendable>: Sendable {
    private typealias State = OneShotState<Value, CheckedContinuation<Value, any Error>>

    private let state = Mutex(State())

    /// Creates a result without a value.
    package init() {}

    /// The value; `nil` until it is set.
    package var value: Value? { state.withLock { $0.value } }

    /// Sets the value, and resumes all waiting tasks with it.
    ///
    /// - Returns: Whether this call has set the value. The first call does; later calls have no effect.
    @discardableResult
    package func set(_ value: Value) -> Bool {
        guard let waiters = state.withLock({ $0.set(value) }) else { return false }
        for waiter in waiters { waiter.resume(returning: value) }
        return true
    }

    /// Returns the value when it is set.
    ///
    /// - Throws: `CancellationError` if the value isn't set and the task is cancelled.
    package nonisolated(nonsending) func wait() async throws -> Value {
        let id = state.withLock { $0.makeWaiterID() }
        return try await withCancellableContinuation { waiter in
            state.withLock { state in
                if let value = state.value { return .success(value) }
                if Task.isCancelled { return .failure(CancellationError()) }
                return state.value(orEnqueue: waiter, id: id).map { .success($0) }
            }
        } remove: {
            state.withLock { $0.removeWaiter(id) }
        }
    }
}
