//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Holds whoever passes until it is opened, cancelled tasks too, and tells how many have come.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrived = 0
        var held: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// Counts one who has come, and gives the watchers who waited for it.
        mutating func arrive() -> [CheckedContinuation<Void, Never>] {
            arrived += 1
            let reached = watchers.filter { $0.count <= arrived }.map(\.continuation)
            watchers.removeAll { $0.count <= arrived }
            return reached
        }
    }

    private let state = Mutex(State())

    /// A gate that is closed.
    package init() {}

    /// A gate that holds nobody.
    package static var opened: Gate {
        let gate = Gate()
        gate.open()
        return gate
    }

    /// Returns when the gate is open.
    package func pass() async {
        await withCheckedContinuation { continuation in
            let resumed = state.withLock { state in
                let reached = state.arrive()
                if state.isOpen { return reached + [continuation] }
                state.held.append(continuation)
                return reached
            }
            resumed.forEach { $0.resume() }
        }
    }

    /// Returns when `count` have come to the gate.
    package func arrivals(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.arrived < count { state.watchers.append((count, continuation)) }
                return state.arrived >= count
            }
            if isReached { continuation.resume() }
        }
    }

    /// Lets everybody pass from now on.
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
