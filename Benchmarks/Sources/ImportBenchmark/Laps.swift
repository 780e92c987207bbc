// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A clock that always runs for one phase of an import, so that the phases add up to the total.
final class Laps: Sendable {
    /// A phase of an import that can be measured from outside.
    enum Phase: String, CaseIterable {
        case reading = "reading, parsing"
        case fingerprints = "fingerprints"
        case lookUps = "look-ups in the store"
        case posting = "posting: dispatch, balancing, entities"
        case beforeCommit = "pre-commit handlers"
        case changeSet = "change set: JSON, indexes"
        case commit = "SQLite commit"
        case forgetting = "releasing the entities"
        case afterCommit = "post-commit handlers"
    }

    private struct State {
        var current = Phase.reading
        var start = Time.now
        var times: [Phase: Time] = [:]
    }

    private let state = Mutex(State())

    /// The time of each phase until the last call of ``begin(_:insteadOf:)``.
    var times: [Phase: Time] { state.withLock(\.times) }

    /// Ends the current phase and begins `phase`.
    ///
    /// Nothing is counted for `mistaken`, which was begun too early.
    ///
    /// - Returns: The phase that ended.
    @discardableResult
    func begin(_ phase: Phase, insteadOf mistaken: Phase? = nil) -> Phase {
        let now = Time.now
        return state.withLock { state in
            let ended = state.current
            let counted = ended == mistaken ? phase : ended
            state.times[counted] = (state.times[counted] ?? Time()) + (now - state.start)
            state.current = phase
            state.start = now
            return ended
        }
    }
}
