// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Prints a line immediately, also into a pipe.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// Counts what handlers have handled.
final class Tally: Sendable {
    private struct State {
        var count = 0
        var waiter: (target: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())

    var count: Int { state.withLock(\.count) }

    func add() {
        let done = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.count += 1
            guard let waiter = state.waiter, state.count >= waiter.target else { return nil }
            state.waiter = nil
            return waiter.continuation
        }
        done?.resume()
    }

    func wait(for target: Int) async {
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state in
                if state.count >= target { return true }
                state.waiter = (target, continuation)
                return false
            }
            if isNow { continuation.resume() }
        }
    }
}
