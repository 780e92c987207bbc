// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceStorage

/// Converts errors of SQLite to ``StoreError``, with the file, the cause and the remedy.
struct SQLiteErrorMapper {
    let path: String

    /// Runs `operation` and converts errors of SQLite to ``StoreError``.
    ///
    /// Other errors are rethrown unchanged.
    func translating<Value>(_ operation: () throws -> Value) throws -> Value {
        do {
            return try operation()
        } catch let error as DatabaseError {
            throw storeError(error)
        } catch let error as RowDecodingError {
            throw corrupt("\(error)", cause: error)
        } catch let passed as ClientSQLError {
            throw passed.error
        }
    }

    /// The asynchronous variant of ``translating(_:)``.
    nonisolated(nonsending) func translating<Value>(
        _ operation: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        do {
            return try await operation()
        } catch let error as DatabaseError {
            throw storeError(error)
        } catch let error as RowDecodingError {
            throw corrupt("\(error)", cause: error)
        } catch let passed as ClientSQLError {
            throw passed.error
        }
    }

    /// The variant of ``translating(_:)`` for a transaction of the program, which GRDB ends with `CancellationError` if the
    /// program or its task has interrupted it.
    func translatingInTransaction<Value>(_ operation: () throws -> Value) throws -> Value {
        do {
            return try translating(operation)
        } catch let error as StoreError {
            if let cause = error.cause as? DatabaseError,
                [.SQLITE_INTERRUPT, .SQLITE_ABORT].contains(cause.resultCode)
            {
                throw cause
            }
            throw error
        }
    }

    /// The variant of ``translating(_:)`` for opening a file.
    ///
    /// GRDB reads the files beside the database through Foundation. The errors of Foundation are converted too.
    func translatingOpening<Value>(_ operation: () throws -> Value) throws -> Value {
        do {
            return try translating(operation)
        } catch let error as CocoaError {
            throw unusable(
                "a file beside it could not be read while it was opened",
                remedy: "make sure that no other program moves or removes files beside it, then open it again",
                cause: error
            )
        }
    }

    /// Whether `error` is about the file and its disk, and not about the SQL statement.
    static func isOfTheFile(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        switch error.resultCode {
        case .SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_MISUSE, .SQLITE_RANGE, .SQLITE_TOOBIG:
            return false
        default:
            return true
        }
    }

    /// Checks the path for problems that SQLite would only report as "unable to open database file".
    ///
    /// - Throws: ``StoreError`` with the code `unusable`, which names the problem.
    func checkPath() throws {
        if path.isEmpty || path.hasPrefix(":") || path.hasPrefix("file:") || path.utf8.contains(0) {
            throw StoreError(
                code: .unusable,
                message: "'\(path)' is not the path of a file. To fix, use the path of a file, or use InMemoryStore."
            )
        }
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        switch FileManager.default.isFolder(path) {
        case true:
            throw unusable("it is a folder", remedy: "use the path of a file in it")
        case false:
            if !FileManager.default.isWritableFile(atPath: path) {
                throw unusable("it may not be written", remedy: "give this user write permission, or use another file")
            }
        case nil:
            // SQLite would create a new database at the target of the link, and so hide that a disk is not mounted.
            if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
                throw unusable(
                    "it is a symbolic link to '\(target)', which doesn't exist",
                    remedy: "mount or restore the target of the link, or remove the link"
                )
            }
            if FileManager.default.isFolder(folder) != true {
                throw unusable("the folder '\(folder)' doesn't exist", remedy: "create the folder, or use another path")
            }
            if !FileManager.default.isWritableFile(atPath: folder) {
                throw unusable(
                    "the folder '\(folder)' may not be written",
                    remedy: "give this user write permission, or use another path"
                )
            }
        }
    }

    private func unusable(_ what: String, remedy: String, cause: (any Error)? = nil) -> StoreError {
        StoreError(
            code: .unusable,
            message: "'\(path)' cannot be used: \(what). To fix, \(remedy).",
            cause: cause
        )
    }

    private func corrupt(_ what: String, cause: any Error) -> StoreError {
        StoreError(
            code: .corrupt,
            message: """
                '\(path)' is damaged or not a database (\(what)). To fix, restore it from a backup, or recover its data \
                with 'sqlite3 FILE .recover'. Keep the damaged file until then.
                """,
            cause: cause
        )
    }

    /// Returns the error for a store that is closed.
    func closed(cause: (any Error)? = nil) -> StoreError {
        StoreError(
            code: .closed,
            message: """
                The store on '\(path)' is closed. Nothing was read or stored. To fix, close it after its last use, \
                or open another store on the file.
                """,
            cause: cause
        )
    }

    private func storeError(_ error: DatabaseError) -> StoreError {
        // The shared memory is a file on the same disk, so only a full disk keeps it from growing.
        let resultCode = error.extendedResultCode == .SQLITE_IOERR_SHMSIZE ? .SQLITE_FULL : error.resultCode
        return switch resultCode {
        case _ where error.isFailedSync:
            unusable(
                "the disk did not confirm a write. The last changes may or may not be stored, and the store writes nothing more",
                remedy: "check the disk, then close the store and open it again",
                cause: error
            )
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            corrupt(error.message ?? "\(error.resultCode)", cause: error)
        case .SQLITE_FULL:
            StoreError(
                code: .full,
                message: """
                    There is no space for '\(path)' to grow. Nothing of the change was stored. To fix, free space \
                    on its disk (or raise the program's limit on the size of the file), then try again.
                    """,
                cause: error
            )
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            StoreError(
                code: .locked,
                message: """
                    '\(path)' is locked by another process, and the wait for it timed out. Nothing of the change was \
                    stored. To fix, let the other process finish or end it, then try again.
                    """,
                cause: error
            )
        case .SQLITE_INTERRUPT:
            StoreError(
                code: .locked,
                message: """
                    The program has interrupted its connections to '\(path)'. Nothing of the change was stored. To fix, try \
                    again.
                    """,
                cause: error
            )
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN, .SQLITE_AUTH:
            unusable(
                error.message ?? "\(error.resultCode)",
                remedy: "give this user permission to read and write the file and its folder",
                cause: error
            )
        case .SQLITE_MISUSE:
            // Errors in a client's SQL are not converted. The store's own SQL is misused only on a closed connection.
            closed(cause: error)
        case .SQLITE_ERROR, .SQLITE_TOOBIG, .SQLITE_RANGE, .SQLITE_MISMATCH, .SQLITE_CONSTRAINT, .SQLITE_NOMEM:
            unusable(
                "SQLite refused a statement: \(error.message ?? "\(error.resultCode)")",
                remedy: """
                    use fewer or smaller values in one call, and check that no other program changed the tables \
                    (error \(error.extendedResultCode.rawValue) of SQLite)
                    """,
                cause: error
            )
        default:
            unusable(
                error.message ?? "\(error.resultCode)",
                remedy: "check the disk and the file (error \(error.extendedResultCode.rawValue) of SQLite)",
                cause: error
            )
        }
    }
}

/// An error of a client's SQL, which is rethrown without conversion.
struct ClientSQLError: Error {
    let error: any Error
}
#endif
