//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import Synchronization

/// The completion of one action: counts the work that the action has started and that hasn't ended.
///
/// The work is effects, actions that effects have poured, effects of those actions, and so on. The effects themselves
/// are in ``scope``.
@usableFromInline
final class ActionCompletion: Sendable {
    private struct State {
        /// Number of parts that haven't ended.
        ///
        /// The creator of the completion holds the first.
        var open = 1
        var failure: (any Error)?
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// The scope of all effects of the action.
    let scope: EffectScope

    private let state = Mutex(State())

    init(in runningEffects: RunningEffects) {
        scope = EffectScope(within: runningEffects.scope)
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
        scope.end()
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
        if let failure = state.withLock({ $0.failure }) { throw failure }
        try Task.checkCancellation()
    }

    private nonisolated(nonsending) func waitForEnd() async {
        await withCancellationHandler {
            await withCheckedContinuation { continuation in
                let isFinished = state.withLock { state in
                    if state.open > 0 { state.waiting.append(continuation) }
                    return state.open == 0
                }
                if isFinished { continuation.resume() }
            }
        } onCancel: {
            scope.cancel()
        }
    }
}
