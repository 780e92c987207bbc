//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Counts what an action has started and has not ended, and knows how to cancel it.
final class Activity: Sendable {
    private struct State {
        var open = 1
        var isCancelled = false
        var failure: (any Error)?

        /// As a rule there is one effect; only more of them need a table.
        var run: EffectRun?
        var moreRuns: [ObjectIdentifier: EffectRun] = [:]
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var isFinished: Bool { state.withLock { $0.open == 0 } }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Counts something that has begun; whoever created the activity holds the first count.
    func begin() {
        state.withLock { $0.open += 1 }
    }

    /// Counts an effect that has begun, and cancels it where all of this was.
    func begin(_ run: EffectRun) {
        let isCancelled = state.withLock { state in
            state.open += 1
            if state.run == nil {
                state.run = run
            } else {
                state.moreRuns[ObjectIdentifier(run)] = run
            }
            return state.isCancelled
        }
        if isCancelled { run.cancel() }
    }

    /// Takes back one count, and lets those go on who wait where it was the last.
    func end(_ run: EffectRun? = nil) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.open -= 1
            if let run {
                if state.run === run {
                    state.run = nil
                } else {
                    state.moreRuns[ObjectIdentifier(run)] = nil
                }
            }
            guard state.open == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Notes a failure; the first is the one that counts.
    func fail(_ error: any Error) {
        state.withLock { $0.failure = $0.failure ?? error }
    }

    func cancel() {
        let runs = state.withLock { state in
            state.isCancelled = true
            return Array(state.moreRuns.values) + (state.run.map { [$0] } ?? [])
        }
        for run in runs { run.cancel() }
    }

    nonisolated(nonsending) func finish() async throws {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isFinished = state.withLock { state in
                    if state.open > 0 { state.waiting.append(continuation) }
                    return state.open == 0
                }
                if isFinished { continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
        if let failure = state.withLock({ $0.failure }) { throw failure }
        try Task.checkCancellation()
    }
}
