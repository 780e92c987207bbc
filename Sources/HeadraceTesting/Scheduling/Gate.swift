// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

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
