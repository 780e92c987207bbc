// SPDX-License-Identifier: Apache-2.0

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

    private typealias Waiter = CheckedContinuation<Void, any Error>

    private let state = Mutex(CommitFeedState<Waiter>())

    /// Creates a feed without commits.
    public init() {}

    /// Number of commits so far.
    public var position: Int { state.withLock { $0.position } }

    /// Records a commit that changed `subjects`, or possibly everything if `subjects` is `nil`.
    public func recordCommit(of subjects: Set<Subject>?) {
        for waiter in state.withLock({ $0.recordCommit(of: subjects) }) { waiter.resume() }
    }

    /// Records the commit of `changes`.
    func recordCommit(of changes: ChangeSet) {
        guard let kind = changes.onlyKind else { return recordCommit(of: changes.subjects) }
        for waiter in state.withLock({ $0.recordCommit(of: .entities(kind)) }) { waiter.resume() }
    }

    /// Waits until a commit after `position` has changed one of `subjects`, and returns at once if one already has.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func waitForChange(of subjects: Set<Subject>, after position: Int) async throws {
        let id = state.withLock { $0.makeWaiterID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                let isDone = state.withLock { state in
                    // A task that is cancelled before it waits has had its handler run already.
                    Task.isCancelled ? nil : state.wait(waiter, id: id, for: subjects, after: position)
                }
                switch isDone {
                case true?: waiter.resume()
                case false?: break
                case nil: waiter.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            state.withLock { $0.removeWaiter(id) }?.resume(throwing: CancellationError())
        }
    }
}

/// The state of a ``CommitFeed``: it decides which waiters continue, and the feed resumes them.
struct CommitFeedState<Waiter: Sendable>: Sendable {
    private(set) var position = 0
    private var lastChanges: [CommitFeed.Subject: Int] = [:]
    private var lastChangeOfAll = 0
    private var waiters: [Int: (subjects: Set<CommitFeed.Subject>, waiter: Waiter)] = [:]
    private var waiterCount = 0

    mutating func makeWaiterID() -> Int {
        waiterCount += 1
        return waiterCount
    }

    /// Returns the waiters to resume.
    mutating func recordCommit(of subject: CommitFeed.Subject) -> [Waiter] {
        if !waiters.isEmpty { return recordCommit(of: [subject]) }
        position += 1
        lastChanges[subject] = position
        return []
    }

    /// Returns the waiters to resume.
    mutating func recordCommit(of subjects: Set<CommitFeed.Subject>?) -> [Waiter] {
        position += 1
        guard let subjects else {
            lastChangeOfAll = position
            defer { waiters.removeAll() }
            return waiters.values.map { $0.waiter }
        }
        for subject in subjects { lastChanges[subject] = position }
        if waiters.isEmpty { return [] }
        let woken = waiters.filter { !$0.value.subjects.isDisjoint(with: subjects) }
        for id in woken.keys { waiters[id] = nil }
        // Not a key path: in generic code, it would be created again on each call.
        return woken.values.map { $0.waiter }
    }

    /// Keeps `waiter`, or returns that it need not wait.
    mutating func wait(_ waiter: Waiter, id: Int, for subjects: Set<CommitFeed.Subject>, after position: Int) -> Bool {
        if lastChangeOfAll > position || subjects.contains(where: { lastChanges[$0, default: 0] > position }) {
            return true
        }
        waiters[id] = (subjects, waiter)
        return false
    }

    /// Removes a waiter and returns it, or `nil` if it doesn't wait.
    mutating func removeWaiter(_ id: Int) -> Waiter? {
        waiters.removeValue(forKey: id)?.waiter
    }
}

extension ChangeSet {
    /// The kind of entity that the changes affect, if they affect nothing else; `nil` otherwise.
    fileprivate var onlyKind: String? {
        guard events.isEmpty, let kind = (writes.first?.document.reference ?? deletions.first?.reference)?.kind,
            writes.allSatisfy({ $0.document.reference.kind == kind }),
            deletions.allSatisfy({ $0.reference.kind == kind })
        else { return nil }
        return kind
    }

    /// The parts of the store that the changes affect.
    public var subjects: Set<CommitFeed.Subject> {
        let kinds = writes.map(\.document.reference.kind) + deletions.map(\.reference.kind)
        let subjects = Set(kinds.map { CommitFeed.Subject.entities($0) })
        return events.isEmpty ? subjects : subjects.union([.events])
    }
}
