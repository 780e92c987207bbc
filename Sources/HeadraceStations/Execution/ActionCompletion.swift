// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

/// The completion of one action: counts the work that the action has started and that hasn't ended.
///
/// The work is effects, actions that effects have poured, effects of those actions, and so on. The effects themselves
/// are below ``node``.
@usableFromInline
package final class ActionCompletion: Sendable {
    private struct State {
        /// Number of parts that haven't ended.
        ///
        /// The creator of the completion holds the first.
        var open = 1
        var failure: (any Error)?
        var waiting: [CheckedContinuation<Void, Never>] = []

        /// Whether ``ActionCompletion/wake()`` was called.
        var isAwake = false
    }

    /// The node of all effects of the action.
    let node: EffectNode

    private let state = Mutex(State())

    init(in runningEffects: RunningEffects) {
        node = EffectNode(within: runningEffects.root)
    }

    var isFinished: Bool { state.withLock { $0.open == 0 } }

    /// Counts a part that begins.
    func begin() {
        state.withLock { $0.open += 1 }
    }

    /// Counts a part that ends.
    ///
    /// The end of the last part resumes the tasks that wait in ``finish()``.
    func end() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
            state.open -= 1
            guard state.open == 0 else { return nil }
            defer { state.waiting = [] }
            return state.waiting
        }
        guard let waiting else { return }
        node.end()
        for continuation in waiting { continuation.resume() }
    }

    /// Stores the error of a part.
    ///
    /// Only the first error counts.
    func fail(_ error: any Error) {
        state.withLock { $0.failure = $0.failure ?? error }
    }

    /// Returns when all parts have ended.
    ///
    /// Cancelling the task that waits cancels the effects.
    nonisolated(nonsending) func finish() async throws {
        if !isFinished { await waitForEnd() }
        if let failure { throw failure }
        try Task.checkCancellation()
    }

    /// The first error of a part; `nil` if no part has failed.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Resumes the tasks that wait, although parts may not have ended.
    func wake() {
        let waiting = state.withLock { state in
            state.isAwake = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when all parts have ended, or ``wake()`` was called.
    ///
    /// Cancelling the task that waits cancels the effects.
    nonisolated(nonsending) func waitForEnd() async {
        await withCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    let mustWait = state.open > 0 && !state.isAwake
                    if mustWait { state.waiting.append(continuation) }
                    return mustWait
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            node.cancel()
        }
    }
}
