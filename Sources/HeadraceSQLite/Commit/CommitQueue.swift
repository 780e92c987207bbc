//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
import GRDB
import Synchronization

/// The commits that wait for the connection that writes; those that have come together share a transaction.
///
/// Nobody waits for others to come: while one transaction goes to disk, the next one gathers.
final class CommitQueue: Sendable {
    /// A commit and whoever waits for it.
    struct Entry: Sendable {
        let writer: ChangeSetWriter
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var waiting: [Entry] = []
        var isScheduled = false
    }

    /// How many units of work share a transaction at the most, so that the first need not wait long for the last.
    private static let largestBatch = 256

    private let state = Mutex(State())
    private let pool: DatabasePool
    private let file: OpenedFile
    private let rules: CommitRules

    init(pool: DatabasePool, file: OpenedFile, rules: CommitRules) {
        self.pool = pool
        self.file = file
        self.rules = rules
    }

    /// Commits `writer` and returns when it is as durable as it asks; cancellation does not stop it.
    ///
    /// - Throws: What keeps this one from being stored; what befalls the others of its transaction does not.
    func commit(_ writer: ChangeSetWriter) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let isFirst = state.withLock { state in
                state.waiting.append(Entry(writer: writer, continuation: continuation))
                defer { state.isScheduled = true }
                return !state.isScheduled
            }
            rules.faults?(.commitQueued)
            if isFirst { schedule() }
        }
    }

    private func schedule() {
        // Not GRDB's own async write, which a cancelled task abandons: a commit that has begun has an outcome.
        pool.asyncWriteWithoutTransaction { database in self.commitWaiting(in: database) }
    }

    private func commitWaiting(in database: Database) {
        let batch = state.withLock { state in
            let batch = state.waiting.prefix(Self.largestBatch)
            state.waiting.removeFirst(batch.count)
            return Array(batch)
        }
        let outcomes = commit(batch.map(\.writer), in: database)
        for (entry, outcome) in zip(batch, outcomes) { entry.continuation.resume(with: outcome) }

        // Others who want the connection get their turn in between.
        let isMore = state.withLock { state in
            state.isScheduled = !state.waiting.isEmpty
            return state.isScheduled
        }
        if isMore { schedule() }
    }

    /// Commits `writers`, and acknowledges none of them unless the file is where it was, before and after.
    private func commit(_ writers: [ChangeSetWriter], in database: Database) -> [Result<Void, any Error>] {
        do {
            try checkFile(in: database)
            let outcomes = CommitBatch(writers, rules: rules).commit(in: database)
            try checkFile(in: database)
            return outcomes
        } catch {
            return writers.map { _ in .failure(error) }
        }
    }

    private func checkFile(in database: Database) throws {
        do {
            try file.check()
        } catch {
            // After the store was closed, its log is gone: then the connection says what is wrong.
            try database.execute(sql: "SELECT 1")
            throw error
        }
    }
}
#endif
