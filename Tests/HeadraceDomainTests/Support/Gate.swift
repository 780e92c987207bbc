//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Holds tasks until the test opens it, cancelled ones too, and tells when one has come.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
        var held: [CheckedContinuation<Void, Never>] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// A gate that holds nobody.
    static var opened: Gate {
        let gate = Gate()
        gate.open()
        return gate
    }

    /// Waits until the gate is open.
    func pass() async {
        await withCheckedContinuation { continuation in
            let resumed = state.withLock { state in
                state.arrivals += 1
                var resumed = state.watchers
                state.watchers = []
                if state.isOpen { resumed.append(continuation) } else { state.held.append(continuation) }
                return resumed
            }
            resumed.forEach { $0.resume() }
        }
    }

    /// Waits until a task has come to the gate.
    func arrival() async {
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state in
                if state.arrivals > 0 { return true }
                state.watchers.append(continuation)
                return false
            }
            if isNow { continuation.resume() }
        }
    }

    func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        held.forEach { $0.resume() }
    }
}
