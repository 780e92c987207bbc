// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

/// A value with asynchronous waiting for a condition.
///
/// A wait also ends when its task is cancelled. So a test ends at its time limit, and the run reports its name.
package final class ConditionVariable<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var waiters = WaiterQueue<@Sendable (Value) -> Bool, Void>()
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
        let resumptions = state.withLock { state in
            body(&state.value)
            let value = state.value
            return state.waiters.endAll(with: .success(())) { isMet in isMet(value) }
        }
        for resumption in resumptions { resumption.resume() }
    }

    /// Returns when the value meets the condition `isMet`, or when the task is cancelled.
    package func wait(until isMet: @escaping @Sendable (Value) -> Bool) async {
        let waiter = state.withLock { isMet($0.value) ? nil : $0.waiters.append(isMet) }
        try? await waiter?.value()
    }
}
