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
/// Several processes may open one file at the same time. The first process that gets the write lock prepares the file, and the
/// others wait for the lock and find the file prepared. SQLite doesn't always wait: the switch to write-ahead mode,
/// and the end of the last connection of another process, give `SQLITE_BUSY` at once. So the opening starts again until it
/// succeeds or its time is over.
struct StoreOpening {
    let path: String

    /// The name of a virtual file system; the default of SQLite if it is `nil`.
    let vfs: String?

    let schema: EntitySchema
    let settings: GRDB.Configuration

    /// How long to try.
    let timeout: Duration

    let faults: (@Sendable (FaultPoint) -> Void)?

    /// Opens the file.
    ///
    /// - Returns: The connections, the IDs of the schema, and the generation in which they hold.
    func open() throws -> (DatabasePool, SchemaIDs, generation: Int) {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        while true {
            do {
                return try attempt()
            } catch {
                let isLate = ContinuousClock.now >= deadline
                if isLate || !Self.mayPass(error) { throw error }
            }
            // At random, so that processes that have met once don't meet again.
            Thread.sleep(forTimeInterval: .random(in: 0.001...0.015))
        }
    }

    private func attempt() throws -> (DatabasePool, SchemaIDs, generation: Int) {
        try StoreSchema.validateApplicationID(path: path, configuration: settings)
        let pool = try DatabasePool(path: vfs.map { "file:\(path)?vfs=\($0)" } ?? path, configuration: settings)
        do {
            let (ids, generation) = try pool.writeWithoutTransaction { database in
                // GRDB sets the writer to NORMAL when it opens a pool, whatever was set before.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                return try prepare(database)
            }
            return (pool, ids, generation)
        } catch {
            // The error that is thrown says more than one of the closing.
            try? pool.close()
            throw error
        }
    }

    /// Brings the file to the current tables and indexes, wholly or not at all.
    private func prepare(_ database: Database) throws -> (SchemaIDs, generation: Int) {
        var prepared = (SchemaIDs(), generation: 0)
        try database.inTransaction(.immediate) {
            prepared = try SchemaCheck.tracking(in: database) {
                try StoreSchema.prepare(database, path: path, faults: faults)
                return try SchemaIDs.reconcile(schema, in: database, path: path)
            }
            return .commit
        }
        return prepared
    }

    /// Whether `error` tells of another process that is opening, closing or writing the file.
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
