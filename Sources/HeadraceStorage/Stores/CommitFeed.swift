// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

/// Records which parts of a store the commits change, and notifies tasks that wait for a change.
///
/// It keeps only the position of the last change of each subject. A store makes one for itself and records each of its
/// commits after the commit has taken effect.
public final class CommitFeed: Sendable {
    /// Part of a store that a commit can change.
    public enum Subject: Hashable, Sendable {
        /// The entities of a kind.
        case entities(String)

        /// The log of events.
        case events
    }

    private struct State {
        var position = 0
        var lastChanges: [Subject: Int] = [:]
        var lastChangeOfAll = 0
        var waiters = WaiterQueue<Set<Subject>, Void>()

        /// Whether a commit after `position` has changed one of `subjects`.
        func hasChanged(_ subjects: Set<Subject>, after position: Int) -> Bool {
            lastChangeOfAll > position || subjects.contains { lastChanges[$0, default: 0] > position }
        }
    }

    private let state = Mutex(State())

    /// Creates a feed without commits.
    public init() {}

    /// Number of commits so far.
    public var position: Int { state.withLock { $0.position } }

    /// Records a commit that changed `subjects`, or possibly everything if `subjects` is `nil`.
    public func recordCommit(of subjects: Set<Subject>?) {
        let resumptions = state.withLock { state in
            state.position += 1
            guard let subjects else {
                state.lastChangeOfAll = state.position
                return state.waiters.endAll(with: .success(()))
            }
            for subject in subjects { state.lastChanges[subject] = state.position }
            return state.waiters.endAll(with: .success(())) { !$0.isDisjoint(with: subjects) }
        }
        for resumption in resumptions { resumption.resume() }
    }

    /// Waits until a commit after `position` has changed one of `subjects`, and returns at once if one already has.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func waitForChange(of subjects: Set<Subject>, after position: Int) async throws {
        try Task.checkCancellation()
        try await request(subjects, after: position)?.value()
    }

    /// Returns a waiter for a change of `subjects`, or `nil` if there is one after `position`.
    func request(_ subjects: Set<Subject>, after position: Int) -> Waiter<Void>? {
        state.withLock { state in
            state.hasChanged(subjects, after: position) ? nil : state.waiters.append(subjects)
        }
    }
}

extension ChangeSet {
    /// The parts of the store that the changes affect.
    public var subjects: Set<CommitFeed.Subject> {
        let kinds = writes.map(\.document.reference.kind) + deletions.map(\.reference.kind)
        let subjects = Set(kinds.map { CommitFeed.Subject.entities($0) })
        return events.isEmpty ? subjects : subjects.union([.events])
    }
}
