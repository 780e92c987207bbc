//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// All effects of a station that are under way, to be cancelled when it is released, and the actor that they run on.
package final class Lifetime: Sendable {
    private struct State {
        weak var actor: (any Actor)?
        var isEnded = false
        var runs: [ObjectIdentifier: EffectRun] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// How many effects are under way.
    package var count: Int { state.withLock { $0.runs.count } }

    /// Says which actor it is; to be called before the first action.
    package func attach(_ actor: any Actor) {
        state.withLock { $0.actor = actor }
    }

    /// Counts `run`, and returns the actor on which it is to run.
    func add(_ run: EffectRun) -> (any Actor)? {
        let (actor, isEnded) = state.withLock { state in
            state.runs[ObjectIdentifier(run)] = run
            return (state.actor, state.isEnded)
        }
        if isEnded { run.cancel() }
        return actor
    }

    func remove(_ run: EffectRun) {
        state.withLock { state in state.runs[ObjectIdentifier(run)] = nil }
    }

    /// Cancels all that is under way and all that is still to come.
    package func end() {
        let runs = state.withLock { state in
            state.isEnded = true
            return Array(state.runs.values)
        }
        for run in runs { run.cancel() }
    }
}
