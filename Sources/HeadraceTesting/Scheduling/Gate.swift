// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
public import HeadraceFlux
import Synchronization

/// Suspends tasks until it is opened, and counts their arrivals.
///
/// Cancellation doesn't let a task pass.
package final class Gate: Sendable {
    private let opening = OneShot<Void>()

    /// Number of tasks that have arrived at the gate.
    private let arrived = ConditionVariable(0)

    /// Creates a closed gate.
    package init() {}

    /// A new gate that is already open.
    package static var opened: Gate {
        let gate = Gate()
        gate.open()
        return gate
    }

    /// Returns when the gate is open.
    package func pass() async {
        arrived.change { $0 += 1 }
        try? await opening.waitRegardless()
    }

    /// Returns when `count` tasks have arrived at the gate, or when the waiting task is cancelled.
    package func arrivals(_ count: Int) async {
        await arrived.wait { $0 >= count }
    }

    /// Opens the gate for the suspended and all later tasks.
    package func open() {
        opening.set(())
    }
}

/// Returns when the task is cancelled.
package func untilCancelled() async {
    let gate = Gate()
    await withTaskCancellationHandler {
        await gate.pass()
    } onCancel: {
        gate.open()
    }
}

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

extension Pipeline {
    /// Returns when the pipeline has at least `count` queued actions.
    ///
    /// ```swift
    /// store.deactivate()
    /// let waiting = Task { await store.dispatch(Increment()) }
    /// await store.pipeline.waitForQueuedActions(1)
    /// waiting.cancel()
    /// ```
    public func waitForQueuedActions(_ count: Int) async {
        await waitsFor(count)
    }
}
