//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
import Foundation
import GRDB
import HeadraceStorage

/// Tells what SQLite has met in terms of ``StoreError``: which file, what happened, what to do.
struct SQLiteErrorMapper {
    let path: String

    /// Runs `operation`; what SQLite throws is told as a ``StoreError``, everything else passes.
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

    /// As the synchronous ``translating(_:)``.
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

    /// As ``translating(_:)``, of the opening of a file: GRDB looks at the files beside it too, through Foundation,
    /// whose errors are told as well.
    func translatingOpening<Value>(_ operation: () throws -> Value) throws -> Value {
        do {
            return try translating(operation)
        } catch let error as CocoaError {
            throw unusable(
                "while it was opened, \(error)",
                remedy: "see that nobody moves or removes files beside it, then open it again",
                cause: error
            )
        }
    }

    /// Whether `error` is about the file and its disk, and not about the SQL that met it.
    static func isOfTheFile(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        switch error.resultCode {
        case .SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_MISUSE, .SQLITE_RANGE, .SQLITE_TOOBIG:
            return false
        default:
            return true
        }
    }

    /// Finds what SQLite would report as "unable to open database file", and says what it is.
    func checkPath() throws {
        if path.isEmpty || path.hasPrefix(":") || path.hasPrefix("file:") || path.utf8.contains(0) {
            throw StoreError(
                code: .unusable,
                message: "'\(path)' is not the path of a file. To fix, name a file, or use an InMemoryStore."
            )
        }
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        switch isFolder(path) {
        case true:
            throw unusable("it is a folder", remedy: "name a file in it")
        case false:
            if !FileManager.default.isWritableFile(atPath: path) {
                throw unusable("it may not be written", remedy: "give this user the permission, or name another file")
            }
        case nil:
            // SQLite would make a new database at the end of the link, and hide that a disk is not mounted.
            if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
                throw unusable(
                    "it is a symbolic link to '\(target)', and there is no such file",
                    remedy: "mount or restore what it leads to, or remove the link"
                )
            }
            if isFolder(folder) != true {
                throw unusable("there is no folder '\(folder)'", remedy: "make the folder, or name a file elsewhere")
            }
            if !FileManager.default.isWritableFile(atPath: folder) {
                throw unusable(
                    "the folder '\(folder)' may not be written",
                    remedy: "give this user the permission, or name a file elsewhere"
                )
            }
        }
    }

    /// Whether there is a folder at `path`, or at the end of the symbolic links there; `nil` if there is nothing.
    private func isFolder(_ path: String) -> Bool? {
        var isFolder: ObjCBool = false
        return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) ? isFolder.boolValue : nil
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
                '\(path)' is damaged or not a database (\(what)). To fix, restore it from a backup, or save what \
                can be read with 'sqlite3 FILE .recover'; keep the file meanwhile.
                """,
            cause: cause
        )
    }

    /// The store is closed.
    func closed(cause: (any Error)? = nil) -> StoreError {
        StoreError(
            code: .closed,
            message: """
                The store on '\(path)' is closed. Nothing was read or stored. To fix, close it when all that uses it \
                has ended, or open another store on the file.
                """,
            cause: cause
        )
    }

    private func storeError(_ error: DatabaseError) -> StoreError {
        // The memory that processes share is a file on the same disk, and only a lack of room keeps it from growing.
        let resultCode = error.extendedResultCode == .SQLITE_IOERR_SHMSIZE ? .SQLITE_FULL : error.resultCode
        return switch resultCode {
        case _ where error.isFailedSync:
            unusable(
                "the disk did not confirm a write, so the last changes may be stored or not, and nothing more is written",
                remedy: "check the disk, then close the store and open it again",
                cause: error
            )
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            corrupt(error.message ?? "\(error.resultCode)", cause: error)
        case .SQLITE_FULL:
            StoreError(
                code: .full,
                message: """
                    There is no room for '\(path)' to grow. Nothing of the change was stored. To fix, free space \
                    on its disk (or raise the maximum size that the program has set), then do it again.
                    """,
                cause: error
            )
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            StoreError(
                code: .locked,
                message: """
                    '\(path)' is in use by another process for longer than was waited. Nothing of the change was \
                    stored. To fix, let the other process finish or end it, then do it again.
                    """,
                cause: error
            )
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN, .SQLITE_AUTH:
            unusable(
                error.message ?? "\(error.resultCode)",
                remedy: "see that the file and its folder may be read and written by this user",
                cause: error
            )
        case .SQLITE_MISUSE:
            // The SQL of a user passes through, and ours is misused only on a connection that is closed.
            closed(cause: error)
        case .SQLITE_ERROR, .SQLITE_TOOBIG, .SQLITE_RANGE, .SQLITE_MISMATCH, .SQLITE_CONSTRAINT, .SQLITE_NOMEM:
            unusable(
                "SQLite refuses what it was asked: \(error.message ?? "\(error.resultCode)")",
                remedy: """
                    ask for less at once, and see that no other program has changed the tables \
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

/// An error of a user's own SQL, on its way out without a translation.
struct ClientSQLError: Error {
    let error: any Error
}
#endif
