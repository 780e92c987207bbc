// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts what was handled, and lets a caller wait for a count.
public final class Tally: Sendable {
    private struct State {
        var count = 0
        var pause: Duration?
        var waiter: (target: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())

    /// The count.
    public var count: Int { state.withLock(\.count) }

    /// Duration of the handler; `nil` for no pause.
    public var pause: Duration? {
        get { state.withLock(\.pause) }
        set { state.withLock { $0.pause = newValue } }
    }

    /// Creates a tally that has counted nothing.
    public init() {}

    /// Adds one.
    public func add() {
        let done = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.count += 1
            guard let waiter = state.waiter, state.count >= waiter.target else { return nil }
            state.waiter = nil
            return waiter.continuation
        }
        done?.resume()
    }

    /// Returns when the count is `target` or more.
    ///
    /// One caller at a time may wait.
    public func wait(for target: Int) async {
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
