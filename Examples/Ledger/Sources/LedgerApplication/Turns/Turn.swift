//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Headrace
import Synchronization

/// The turns that a command has taken, until they are passed on: when its changes are on their way to the disk, or when it
/// ends.
final class Turn: Sendable {
    private struct State {
        var pass: (@Sendable () -> Void)?
        var foundations: [CommitOutcome] = []
        var requirements: [StoredDocument] = []
    }

    /// That of the command that this task handles.
    @TaskLocal static var current: Turn?

    private let state: Mutex<State>

    /// Takes turns that `pass` passes on.
    init(pass: @escaping @Sendable () -> Void) {
        state = Mutex(State(pass: pass))
    }

    /// Passes the turns on, if that was not done.
    func end() {
        let pass = state.withLock { state in
            defer { state.pass = nil }
            return state.pass
        }
        pass?()
    }

    /// Notes that the command has read `document`, which `commit` is about to store.
    func build(on document: StoredDocument, of commit: CommitOutcome) {
        state.withLock { state in
            state.foundations.append(commit)
            state.requirements.append(document)
        }
    }

    /// What the command has read before it was stored, and must be stored when its changes are.
    var requirements: [StoredDocument] { state.withLock(\.requirements) }

    /// Forgets the first `count` requirements: they were met, and the command may have changed what they name.
    func meetRequirements(_ count: Int) {
        state.withLock { $0.requirements.removeFirst(count) }
    }

    /// Whether all that the command has read is stored, once that is certain.
    nonisolated(nonsending) func holds() async -> Bool {
        for commit in state.withLock(\.foundations) where await !commit.isStored() { return false }
        return true
    }
}
