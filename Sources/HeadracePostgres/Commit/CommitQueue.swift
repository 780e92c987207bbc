//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Postgres
import Synchronization

/// A queue of commits: units that wait at the same time share a call, and so the wait for the disk.
///
/// No commit is delayed to fill a batch: the next batch collects while one call runs.
final class CommitQueue: Sendable {
    private struct Entry: Sendable {
        let unit: CommitUnit
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var waiting: [Entry] = []
        var isRunning = false
    }

    /// Maximum number of units in one call, so that the first doesn't wait long for the last.
    private static let largestBatch = 128

    private let state = Mutex(State())
    private let committer: BatchCommitter

    init(_ committer: BatchCommitter) {
        self.committer = committer
    }

    /// Commits `unit` and returns when it is as durable as requested; cancellation doesn't stop it.
    ///
    /// - Throws: The error of this unit. Errors of other units in the batch are not thrown.
    func commit(_ unit: CommitUnit) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let isFirst = state.withLock { state in
                state.waiting.append(Entry(unit: unit, continuation: continuation))
                defer { state.isRunning = true }
                return !state.isRunning
            }
            // Not a child of the caller's task, which can end before the units that come later.
            if isFirst { Task.detached { await self.run() } }
        }
    }

    private func run() async {
        while let batch = takeBatch() {
            let outcomes = await committer.commit(batch.map(\.unit))
            for (entry, outcome) in zip(batch, outcomes) { entry.continuation.resume(with: outcome) }
            // The callers that go on with another commit join the next batch. Otherwise, it would have few units.
            await Task.yield()
        }
    }

    /// Takes the first units that have no subject in common; the others stay in their order.
    private func takeBatch() -> [Entry]? {
        state.withLock { state in
            var batch: [Entry] = []
            var rest: [Entry] = []
            var subjects: Set<CommitUnit.Subject> = []
            for (index, entry) in state.waiting.enumerated() {
                if batch.count == Self.largestBatch {
                    rest += state.waiting[index...]
                    break
                }
                if subjects.isDisjoint(with: entry.unit.subjects) {
                    batch.append(entry)
                } else {
                    rest.append(entry)
                }
                // A unit that waits keeps its place before later units with the same subject.
                subjects.formUnion(entry.unit.subjects)
            }
            state.waiting = rest
            state.isRunning = !batch.isEmpty
            return batch.isEmpty ? nil : batch
        }
    }
}
#endif
