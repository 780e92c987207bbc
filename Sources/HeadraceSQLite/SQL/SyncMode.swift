// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
import HeadraceStorage
import Synchronization

/// Whether commits on the connection that writes wait for the disk.
///
/// The connection waits (`synchronous = FULL`) unless a relaxed transaction runs. After a failed sync, the store writes
/// nothing more. The operating system reports a failed sync once, and then treats the lost writes as written. A later sync
/// would succeed, and a power failure would take the durable commit with the lost writes before it.
/// Source: Rebello et al., Can Applications Recover from fsync Failures?,
/// <https://www.usenix.org/conference/atc20/presentation/rebello>.
final class SyncMode: Sendable {
    private struct State {
        var isRelaxed = false
        var failure: DatabaseError?
    }

    private let state = Mutex(State())

    /// Runs `operation` with commits that wait for the disk if `durability` is durable.
    ///
    /// - Throws: The error of a sync that failed, now or before; the error of `operation`.
    func run<Value>(
        _ durability: Durability,
        in database: Database,
        _ operation: () throws -> Value
    ) throws -> Value {
        if let failure = state.withLock(\.failure) { throw failure }
        try setRelaxed(durability == .relaxed, in: database)
        defer {
            // If this fails, the next durable transaction tries again, and doesn't begin without it.
            if durability == .relaxed { try? setRelaxed(false, in: database) }
        }
        do {
            return try operation()
        } catch let error as DatabaseError where error.isFailedSync {
            state.withLock { $0.failure = $0.failure ?? error }
            throw error
        }
    }

    private func setRelaxed(_ isRelaxed: Bool, in database: Database) throws {
        if state.withLock(\.isRelaxed) == isRelaxed { return }
        try database.execute(sql: "PRAGMA synchronous = \(isRelaxed ? "NORMAL" : "FULL")")
        state.withLock { $0.isRelaxed = isRelaxed }
    }
}

extension DatabaseError {
    /// Whether the error means that the disk did not confirm a write.
    var isFailedSync: Bool {
        extendedResultCode == .SQLITE_IOERR_FSYNC || extendedResultCode == .SQLITE_IOERR_DIR_FSYNC
    }
}
#endif
