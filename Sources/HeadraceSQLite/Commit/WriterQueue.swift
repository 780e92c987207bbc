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
    private let connections: any DatabaseWriter
    private let context: WriterContext
    private let meter: CommitMeter?

    init(connections: any DatabaseWriter, context: WriterContext, meter: CommitMeter?) {
        self.connections = connections
        self.context = context
        self.meter = meter
    }

    /// Commits `writer` and returns when it is as durable as requested.
    ///
    /// Cancellation does not stop it.
    ///
    /// - Throws: The error that keeps this unit of work from being stored. Errors of other units of work in the
    ///   transaction are not thrown.
    func commitInTurn(_ writer: ChangeSetWriter) async throws {
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
        connections.asyncWriteWithoutTransaction { database in self.commitWaiting(in: database) }
    }

    private func commitWaiting(in database: Database) {
        context.faults?(.beforeTransaction)
        let batch = state.withLock { state in
            let batch = state.waiting.prefix(Self.largestBatch)
            state.waiting.removeFirst(batch.count)
            return Array(batch)
        }
        let begin = meter?.now
        let outcomes = outcomes(of: batch.map(\.writer), in: database)
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
    private func outcomes(of writers: [ChangeSetWriter], in database: Database) -> [Result<Void, any Error>] {
        let outcomes = CommitBatch(writers, context: context).run(in: database)
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

/// Units of work that are committed in one transaction (group commit), each in its own savepoint.
///
/// A failing unit of work rolls back to its own savepoint, unless it ends the transaction. If the transaction fails,
/// nothing of it is stored. Each unit of work is then committed again in a separate transaction, so that each caller
/// receives the outcome of its own unit of work.
struct CommitBatch {
    private let writers: [ChangeSetWriter]
    private let context: WriterContext

    init(_ writers: [ChangeSetWriter], context: WriterContext) {
        self.writers = writers
        self.context = context
    }

    /// Commits the units of work and returns their outcomes, in their order.
    func run(in database: Database) -> [Result<Void, any Error>] {
        if writers.count > 1 {
            do {
                return try context.syncMode.run(durability, in: database) { try commitTogether(in: database) }
            } catch let error as Failure {
                // A retry for each unit of work would fail as well, and wait as long for a lock each time.
                return writers.map { _ in .failure(error.cause) }
            } catch {}
        }
        return writers.map { writer in
            Result { try context.syncMode.run(durability, in: database) { try commitAlone(writer, in: database) } }
        }
    }

    /// The transaction could not begin, the file has other tables, or the file is gone.
    private struct Failure: Error {
        let cause: any Error
    }

    private func commitAlone(_ writer: ChangeSetWriter, in database: Database) throws {
        let apply = {
            try writer.apply(in: database, undeclared: try context.check.requireCurrent(in: database))
            context.faults?(.beforeCommit)
            try context.file.check()
        }
        if writer.work.isEmpty {
            try database.inWriteTransaction(apply)
        } else {
            // GRDB refuses each further statement of a client whose SQL ended the transaction.
            try database.inTransaction(.immediate) {
                try apply()
                return .commit
            }
        }
        context.faults?(.afterCommit)
    }

    private func commitTogether(in database: Database) throws -> [Result<Void, any Error>] {
        var outcomes: [Result<Void, any Error>] = []
        let undeclared: [Int64: [Int64]]
        do {
            try database.beginWriteTransaction()
            undeclared = try context.check.requireCurrent(in: database)
        } catch {
            if database.isInsideTransaction { try? database.rollback() }
            throw Failure(cause: error)
        }
        // Only a client's SQL can end the transaction without an error.
        let watch = writers.contains { !$0.changes.work.isEmpty } ? CommitWatch(on: database) : nil
        do {
            for writer in writers {
                if !outcomes.isEmpty { context.faults?(.insideGroupCommit) }
                outcomes.append(Result { try apply(writer, undeclared, in: database) })
                if database.isInsideTransaction { continue }
                // Some errors make SQLite roll the whole transaction back. <https://www.sqlite.org/lang_transaction.html>
                guard watch?.hasCommitted == true else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
                // The units of work before this one are stored.
                let rest = CommitBatch(Array(writers.dropFirst(outcomes.count)), context: context)
                return outcomes + rest.run(in: database)
            }
            context.faults?(.beforeCommit)
            do { try context.file.check() } catch { throw Failure(cause: error) }
            try database.commitTransaction()
            context.faults?(.afterCommit)
        } catch {
            if database.isInsideTransaction { try? database.rollback() }
            throw error
        }
        return outcomes
    }

    /// Applies `writer` in a savepoint, completely or not at all.
    ///
    /// GRDB's savepoints would prepare their statements each time.
    private func apply(
        _ writer: ChangeSetWriter,
        _ undeclared: [Int64: [Int64]],
        in database: Database
    ) throws {
        let body = { try writer.apply(in: database, undeclared: undeclared) }
        // The observers of a client need to know of savepoints around its changes, and GRDB notifies them.
        if writer.work.isEmpty {
            try database.inSavepoint({ try database.run($0) }, body)
        } else {
            try database.inSavepoint(body)
        }
    }

    /// Durability of the batch: durable if at least one unit of work asks for it.
    private var durability: Durability {
        writers.contains { $0.changes.durability == .durable } ? .durable : .relaxed
    }
}

/// Records whether the open transaction of a connection is committed.
private final class CommitWatch: Sendable {
    private let state = Mutex(false)

    var hasCommitted: Bool { state.withLock { $0 } }

    init(on database: Database) {
        database.afterNextTransaction { [weak self] _ in self?.state.withLock { $0 = true } }
    }
}

/// What the commits of one store have in common.
struct WriterContext: Sendable {
    /// Requires, in each transaction, the tables and indexes that the store was opened with.
    let check: FileSchemaCheck

    /// The file that the store has opened.
    ///
    /// Each transaction checks it immediately before `COMMIT`. If the file is gone, nothing is stored.
    let file: OpenedFile

    /// Decides whether a commit waits for the disk.
    let syncMode: SyncMode

    /// Is notified of each fault point that a commit passes.
    let faults: (@Sendable (FaultPoint) -> Void)?
}
#endif
