// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One task that waits for a value.
///
/// The object that has the value makes the waiter, keeps it behind its own lock, and ends the wait after a change of its state. A wait
/// ends once: with a value, with an error, or because its task is cancelled. So the object knows whether the task still wants the value.
package final class Waiter<Value: Sendable>: Sendable {
    private enum State {
        case new
        case suspended(CheckedContinuation<Value, any Error>)

        /// The wait has ended; the continuation, if there is one, hasn't been resumed yet.
        case ended(Result<Value, any Error>, CheckedContinuation<Value, any Error>?)
    }

    private let state: Mutex<State>

    /// Creates a waiter whose task hasn't begun to wait.
    package init() {
        state = Mutex(.new)
    }

    /// Creates a waiter whose wait has ended with `value`.
    package init(endedWith value: Value) {
        state = Mutex(.ended(.success(value), nil))
    }

    /// The result of the wait; `nil` until it ends.
    package var result: Result<Value, any Error>? {
        state.withLock { if case .ended(let result, _) = $0 { result } else { nil } }
    }

    /// Ends the wait.
    ///
    /// The caller may hold its lock now, and releases it before it resumes the task.
    ///
    /// - Returns: A value that resumes the task; `nil` if the wait has ended before.
    package func end(with result: Result<Value, any Error>) -> Resumption<Value>? {
        state.withLock { state in
            switch state {
            case .new: state = .ended(result, nil)
            case .suspended(let continuation): state = .ended(result, continuation)
            case .ended: return nil
            }
            return Resumption(waiter: self)
        }
    }

    /// Resumes the task, unless it hasn't suspended itself yet and finds the result then.
    fileprivate func resume() {
        let ended = state.withLock { state -> (CheckedContinuation<Value, any Error>, Result<Value, any Error>)? in
            guard case .ended(let result, let continuation?) = state else { return nil }
            state = .ended(result, nil)
            return (continuation, result)
        }
        if let (continuation, result) = ended { continuation.resume(with: result) }
    }

    /// Returns the value when the wait ends.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before; the error with which the wait ends.
    package nonisolated(nonsending) func value() async throws -> Value {
        if let result { return try result.get() }
        return try await withCancellationHandler {
            try await valueRegardless()
        } onCancel: {
            end(with: .failure(CancellationError()))?.resume()
        }
    }

    /// Does the same as ``value()``, but ignores cancellation.
    package nonisolated(nonsending) func valueRegardless() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let result: Result<Value, any Error>? = state.withLock { state in
                if case .ended(let result, _) = state { return result }
                state = .suspended(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }
}

/// A wait that has ended, and whose task must be resumed.
package struct Resumption<Value: Sendable>: Sendable {
    /// The waiter, because each copy of a continuation takes a look-up of its type, even if nobody waits.
    fileprivate let waiter: Waiter<Value>

    /// Resumes the task.
    package func resume() {
        waiter.resume()
    }
}

/// Tasks that wait, in order of arrival, and a condition of each.
package struct WaiterQueue<Condition: Sendable, Value: Sendable>: Sendable {
    private struct Wait {
        let condition: Condition
        let waiter: Waiter<Value>

        /// Whether the task is neither resumed nor cancelled.
        var isActive: Bool { waiter.result == nil }
    }

    /// The waits in order of arrival, of which some may have been cancelled.
    private var waits: ArraySlice<Wait> = []

    /// Number of waits at which the next arrival removes the cancelled ones.
    private var limit = 8

    /// Creates an empty queue.
    package init() {}

    /// The condition of the task that came last; `nil` if none waits.
    package var lastCondition: Condition? { waits.last { $0.isActive }?.condition }

    /// Adds a waiter with `condition` at the end.
    ///
    /// - Complexity: O(1), amortised.
    package mutating func append(_ condition: Condition) -> Waiter<Value> {
        if waits.count >= limit {
            waits.removeAll { !$0.isActive }
            limit = 2 * waits.count + 8
        }
        let waiter = Waiter<Value>()
        waits.append(Wait(condition: condition, waiter: waiter))
        return waiter
    }

    /// Ends the first wait.
    ///
    /// - Returns: A value that resumes its task; `nil` if no task waits.
    /// - Complexity: O(1), amortised.
    package mutating func endFirst(with value: Value) -> Resumption<Value>? {
        while let wait = waits.popFirst() {
            if let resumption = wait.waiter.end(with: .success(value)) { return resumption }
        }
        return nil
    }

    /// Ends all waits whose condition is met.
    ///
    /// - Returns: Values that resume their tasks, in order of arrival.
    package mutating func endAll(
        with result: Result<Value, any Error>,
        where isMet: (Condition) -> Bool = { _ in true }
    ) -> [Resumption<Value>] {
        // The usual case at a commit. Unlike `isEmpty`, the count needs no type at run time.
        if waits.count == 0 { return [] }
        let met = waits.filter { isMet($0.condition) }
        if !met.isEmpty { waits.removeAll { isMet($0.condition) } }
        return met.compactMap { $0.waiter.end(with: result) }
    }
}

extension WaiterQueue where Condition == Void {
    /// Adds a waiter at the end.
    package mutating func append() -> Waiter<Value> { append(()) }
}
