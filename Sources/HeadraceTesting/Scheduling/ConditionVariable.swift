// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value with asynchronous waiting for a condition.
///
/// A wait also ends when its task is cancelled. So a test ends at its time limit, and the run reports its name.
package final class ConditionVariable<Value: Sendable>: Sendable {
    private struct WaitingTask {
        let id: UInt64
        let isMet: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var value: Value
        var waiting: [WaitingTask] = []
        var lastID: UInt64 = 0
    }

    private let state: Mutex<State>

    /// Creates a variable with an initial value.
    package init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    /// The current value.
    package var value: Value { state.withLock(\.value) }

    /// Changes the value, and resumes the tasks whose condition is met.
    package func change(_ body: (inout Value) -> Void) {
        let resumed = state.withLock { state in
            body(&state.value)
            let value = state.value
            var (met, others): ([WaitingTask], [WaitingTask]) = ([], [])
            for task in state.waiting {
                if task.isMet(value) { met.append(task) } else { others.append(task) }
            }
            state.waiting = others
            return met
        }
        for task in resumed { task.continuation.resume() }
    }

    /// Returns when the value meets the condition `isMet`, or when the task is cancelled.
    package func wait(until isMet: @escaping @Sendable (Value) -> Bool) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The cancellation handler takes the lock, too. If it ran before, the task is cancelled here. If it runs
                // later, it finds the waiting task.
                let isDone = state.withLock { state in
                    if Task.isCancelled || isMet(state.value) { return true }
                    state.waiting.append(WaitingTask(id: id, isMet: isMet, continuation: continuation))
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            let cancelled = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
            }
            cancelled?.continuation.resume()
        }
    }
}
