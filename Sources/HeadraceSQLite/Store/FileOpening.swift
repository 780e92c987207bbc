//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
import Foundation
import GRDB
import HeadraceStorage

/// Opens a file, and prepares it in one transaction.
///
/// Several processes may open one file at the same time. The first process that gets the write lock prepares the file.
/// The other processes wait for the lock and find the file prepared. SQLite doesn't always wait: the switch to
/// write-ahead mode, and the end of the last connection of another process, return `SQLITE_BUSY` immediately. So
/// opening is retried until it succeeds or times out.
struct FileOpening {
    let path: String

    /// The name of a virtual file system; the default of SQLite if it is `nil`.
    let vfs: String?

    let schema: EntitySchema
    let settings: GRDB.Configuration

    /// Time after which opening fails.
    let timeout: Duration

    let faults: (@Sendable (FaultPoint) -> Void)?

    /// Opens the file.
    ///
    /// - Returns: The connections, the IDs of the schema, and the generation in which they are valid.
    func open() throws -> (DatabasePool, SchemaIDs, generation: Int) {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        while true {
            do {
                return try attempt()
            } catch {
                let isLate = ContinuousClock.now >= deadline
                if isLate || !Self.mayPass(error) { throw error }
            }
            // A random pause, so that processes that collide once don't collide again.
            Thread.sleep(forTimeInterval: .random(in: 0.001...0.015))
        }
    }

    private func attempt() throws -> (DatabasePool, SchemaIDs, generation: Int) {
        try StoreSchema.validateApplicationID(path: path, configuration: settings)
        let pool = try DatabasePool(path: vfs.map { "file:\(path)?vfs=\($0)" } ?? path, configuration: settings)
        do {
            let (ids, generation) = try pool.writeWithoutTransaction { database in
                // GRDB sets the writer to NORMAL when it opens a pool, regardless of earlier settings.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                return try prepare(database)
            }
            return (pool, ids, generation)
        } catch {
            // The thrown error says more than an error of closing.
            try? pool.close()
            throw error
        }
    }

    /// Migrates the file to the current tables and indexes, completely or not at all.
    private func prepare(_ database: Database) throws -> (SchemaIDs, generation: Int) {
        var prepared = (SchemaIDs(), generation: 0)
        try database.inTransaction(.immediate) {
            prepared = try FileSchemaCheck.tracking(in: database) {
                try StoreSchema.prepare(database, path: path, faults: faults)
                return try SchemaIDs.reconcile(schema, in: database, path: path)
            }
            return .commit
        }
        return prepared
    }

    /// Whether `error` means that another process is opening, closing or writing the file.
    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let error as DatabaseError:
            [.SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL].contains(error.resultCode)
        case let error as CocoaError:
            // GRDB looks at the write-ahead log, which the last connection of another process removes.
            [.fileNoSuchFile, .fileReadNoSuchFile].contains(error.code)
        default:
            false
        }
    }
}
#endif
