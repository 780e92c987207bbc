// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
import HeadraceStorage
import Synchronization

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
    func commit(in database: Database) -> [Result<Void, any Error>] {
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
                return outcomes + rest.commit(in: database)
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
        // The observers of a client need to know of savepoints around its changes, and GRDB notifies them.
        let run =
            if writer.work.isEmpty {
                { (sql: String) in try database.run(sql) }
            } else {
                { (sql: String) in try database.cachedStatement(sql: sql).execute() }
            }
        try run("SAVEPOINT unit_of_work")
        do {
            try writer.apply(in: database, undeclared: undeclared)
            try run("RELEASE unit_of_work")
        } catch {
            // Without a transaction there is no savepoint.
            if database.isInsideTransaction {
                try run("ROLLBACK TO unit_of_work")
                try run("RELEASE unit_of_work")
            }
            throw error
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
#endif
