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
    private struct State {
        /// The value; `nil` until it is set.
        var value: Value?

        var waiters = WaiterQueue<Void, Value>()
    }

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
        let resumptions: [Resumption<Value>]? = state.withLock { state in
            if state.value != nil { return nil }
            state.value = value
            return state.waiters.endAll(with: .success(value))
        }
        for resumption in resumptions ?? [] { resumption.resume() }
        return resumptions != nil
    }

    /// Returns the value when it is set.
    ///
    /// - Throws: `CancellationError` if the value isn't set and the task is cancelled.
    package nonisolated(nonsending) func wait() async throws -> Value {
        try await makeWaiter().value()
    }

    /// Returns the value when it is set, also if the task is cancelled.
    package nonisolated(nonsending) func waitRegardless() async throws -> Value {
        try await makeWaiter().valueRegardless()
    }

    private func makeWaiter() -> Waiter<Value> {
        state.withLock { state in
            if let value = state.value { return Waiter(endedWith: value) }
            return state.waiters.append()
        }
    }
}
