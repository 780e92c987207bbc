// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceStorage
import Synchronization

/// The file that a store has opened and its write-ahead log.
///
/// Checks that both are still at their paths.
///
/// SQLite goes on writing to a file that was removed, and doesn't report it in write-ahead mode. Such commits are lost
/// when the file is closed.
struct OpenedFile: Sendable {
    private let parts: [(path: String, identity: FileIdentity)]

    /// Records the identity of the file at `path` and of its write-ahead log.
    init(path: String) {
        // The path becomes absolute because the program may change its working directory.
        let path = URL(filePath: path).path(percentEncoded: false)
        parts = [path, path + "-wal"].compactMap { path in FileIdentity(path: path).map { (path, $0) } }
    }

    /// Requires the files to be at their paths.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `fileRemoved`.
    func check() throws {
        for (path, identity) in parts where FileIdentity(path: path) != identity {
            throw StoreError(
                code: .fileRemoved,
                message: """
                    '\(path)' was removed or replaced while this program had it open, so nothing was read or stored. \
                    To fix, put the file back if it was moved, or restart the program to use the file that is there now.
                    """
            )
        }
    }
}

/// Refuses connections to a different file at the path of the store.
///
/// A pool opens connections when it needs them, by path. A connection to a different file would read the content of
/// that file, partly replaced by the write-ahead log of the first file.
final class ConnectionCheck: Sendable {
    private let file = Mutex<OpenedFile?>(nil)

    /// Requires all later connections to open `file`.
    func require(_ file: OpenedFile) {
        self.file.withLock { $0 = file }
    }

    /// Checks a connection that was just opened.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `fileRemoved`.
    func check() throws {
        try file.withLock(\.self)?.check()
    }
}

/// Whether commits on the connection that writes wait for the disk.
///
/// The connection waits (`synchronous = FULL`) unless a relaxed transaction of the store runs. After a failed sync, the store writes
/// nothing more. The operating system reports a failed sync once, and then treats the lost writes as written. A later sync
/// would succeed, and a power failure would take the durable commit with the lost writes before it.
/// Source: Rebello et al., Can Applications Recover from fsync Failures?,
/// <https://www.usenix.org/conference/atc20/presentation/rebello>.
final class SyncMode: Sendable {
    private struct State {
        var isRelaxed = false
        var failure: DatabaseError?
    }

    /// The value of `synchronous` with which each commit waits for the disk.
    static let full = 2

    /// The value of `synchronous` with which commits don't wait.
    static let normal = 1

    /// The value of `synchronous` of the connection, outside of relaxed transactions.
    private let level: Int

    private let state = Mutex(State())

    init(level: Int) {
        self.level = level
    }

    /// - Throws: The error of a sync that has failed.
    func requireNoFailure() throws {
        if let failure = state.withLock(\.failure) { throw failure }
    }

    /// Runs `operation` with commits that wait for the disk if `durability` is durable.
    ///
    /// - Throws: The error of a sync that failed, now or before; the error of `operation`.
    func run<Value>(
        _ durability: Durability,
        in database: Database,
        _ operation: () throws -> Value
    ) throws -> Value {
        try requireNoFailure()
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
        if level <= Self.normal || state.withLock(\.isRelaxed) == isRelaxed { return }
        try database.execute(sql: "PRAGMA synchronous = \(isRelaxed ? Self.normal : level)")
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
