// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
import HeadraceStorage
import Synchronization

/// A queue of commits for the writer connection.
///
/// Commits that wait at the same time share a transaction.
///
/// No commit is delayed to fill a batch: the next batch collects while one transaction is written to disk.
final class WriterQueue: Sendable {
    /// A commit and the continuation of its caller.
    struct Entry: Sendable {
        let writer: ChangeSetWriter
        let continuation: CheckedContinuation<Void, any Error>

        /// The time of the call; `nil` without an observer.
        let queued: ContinuousClock.Instant?
    }

    private struct State {
        var waiting: [Entry] = []
        var isScheduled = false
    }

    /// Maximum number of units of work in one transaction, so that the first does not wait long for the last.
    private static let largestBatch = 256

    private let state = Mutex(State())
    private let pool: DatabasePool
    private let context: WriterContext
    private let meter: CommitMeter?

    init(pool: DatabasePool, context: WriterContext, meter: CommitMeter?) {
        self.pool = pool
        self.context = context
        self.meter = meter
    }

    /// Commits `writer` and returns when it is as durable as requested.
    ///
    /// Cancellation does not stop it.
    ///
    /// - Throws: The error that keeps this unit of work from being stored. Errors of other units of work in the
    ///   transaction are not thrown.
    func commit(_ writer: ChangeSetWriter) async throws {
        let queued = meter?.now
        try await withCheckedThrowingContinuation { continuation in
            let isFirst = state.withLock { state in
                state.waiting.append(Entry(writer: writer, continuation: continuation, queued: queued))
                defer { state.isScheduled = true }
                return !state.isScheduled
            }
            context.faults?(.commitQueued)
            if isFirst { schedule() }
        }
    }

    private func schedule() {
        // A cancelled task abandons GRDB's own async write. A commit that has begun must have an outcome.
        pool.asyncWriteWithoutTransaction { database in self.commitWaiting(in: database) }
    }

    private func commitWaiting(in database: Database) {
        let batch = state.withLock { state in
            let batch = state.waiting.prefix(Self.largestBatch)
            state.waiting.removeFirst(batch.count)
            return Array(batch)
        }
        let begin = meter?.now
        let outcomes = commit(batch.map(\.writer), in: database)
        if let meter, let begin {
            let waitingCount = state.withLock { $0.waiting.count }
            meter.report(outcomes, queued: batch.first?.queued, begin: begin, waitingCount: waitingCount)
        }
        for (entry, outcome) in zip(batch, outcomes) { entry.continuation.resume(with: outcome) }

        // Other users of the connection get their turn in between.
        let isMore = state.withLock { state in
            state.isScheduled = !state.waiting.isEmpty
            return state.isScheduled
        }
        if isMore { schedule() }
    }

    /// Commits `writers`, and names the cause if they fail because the file is gone.
    private func commit(_ writers: [ChangeSetWriter], in database: Database) -> [Result<Void, any Error>] {
        let outcomes = CommitBatch(writers, context: context).commit(in: database)
        if outcomes.allSatisfy(\.isSuccess) { return outcomes }
        do {
            try checkFile(in: database)
            return outcomes
        } catch {
            return outcomes.map { $0.isSuccess ? $0 : .failure(error) }
        }
    }

    private func checkFile(in database: Database) throws {
        do {
            try context.file.check()
        } catch {
            // After the store was closed, its log is gone. The connection then reports the cause.
            try database.execute(sql: "SELECT 1")
            throw error
        }
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
#endif
