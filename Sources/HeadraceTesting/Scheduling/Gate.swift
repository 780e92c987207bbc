// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Suspends tasks until it is opened, and counts their arrivals.
///
/// Cancellation doesn't let a task pass.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var held: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

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
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.held.append(continuation) }
                return state.isOpen
            }
            arrived.change { $0 += 1 }
            if isOpen { continuation.resume() }
        }
    }

    /// Returns when `count` tasks have arrived at the gate, or when the waiting task is cancelled.
    package func arrivals(_ count: Int) async {
        await arrived.wait { $0 >= count }
    }

    /// Opens the gate for the suspended and all later tasks.
    package func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        held.forEach { $0.resume() }
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
