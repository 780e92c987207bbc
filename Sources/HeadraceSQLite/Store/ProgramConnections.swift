// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
import HeadraceStorage

/// The connections of a program, on which a store is made.
struct ProgramConnections {
    private let connections: any DatabaseWriter
    private let path: String

    init(_ connections: any DatabaseWriter, path: String) {
        self.connections = connections
        self.path = path
    }

    /// Requires the settings without which the store can't keep its promises; changes none.
    ///
    /// - Parameter durability: What a power failure may take.
    /// - Returns: The setting `synchronous` of the connection that writes.
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `unusable`, which names the setting and the remedy.
    func requireFit(for durability: Durability) throws -> Int {
        if connections.configuration.readonly {
            throw unusable("the connections are read-only", remedy: "open them without 'configuration.readonly'")
        }
        return try connections.writeWithoutTransaction { database in
            let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode")
            if mode != "wal" {
                throw unusable(
                    "its journal mode is '\(mode ?? "unknown")'",
                    remedy: """
                        open a file by a DatabasePool, or run 'PRAGMA journal_mode = WAL' on the DatabaseQueue of a file
                        """
                )
            }
            let level = try Int.fetchOne(database, sql: "PRAGMA synchronous") ?? 0
            if level < (durability == .durable ? SyncMode.full : SyncMode.normal) {
                throw unusable(
                    "a power failure can take its last commits ('synchronous' is \(level), which a DatabasePool sets)",
                    remedy: """
                        after it is opened, run 'PRAGMA synchronous = FULL' in 'writeWithoutTransaction'\
                        \(level == SyncMode.normal ? ", or pass 'durability: .relaxed' if the loss is acceptable" : "")
                        """
                )
            }
            if try Int.fetchOne(database, sql: "PRAGMA foreign_keys") != 1 {
                throw unusable(
                    "SQLite doesn't enforce its foreign keys",
                    remedy: "leave 'configuration.foreignKeysEnabled' at its default, 'true'"
                )
            }
            return level
        }
    }

    private func unusable(_ what: String, remedy: String) -> StoreError {
        StoreError(
            code: .unusable,
            message: "A store can't be made on '\(path)': \(what). Nothing was changed. To fix, \(remedy)."
        )
    }
}

extension DatabaseWriter {
    /// Opens a snapshot on a connection of its own.
    func snapshot() throws -> DatabaseSnapshot {
        if let pool = self as? DatabasePool { return try pool.makeSnapshot() }
        var settings = configuration
        settings.readonly = true
        // The snapshot has a connection of its own, so the pool may end.
        return try DatabasePool(path: path, configuration: settings).makeSnapshot()
    }
}
#endif
