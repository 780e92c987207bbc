// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceStorage

/// The owner of the file that a store uses, which decides where the store keeps the version of its tables.
///
/// In a file of its own, the store has the application ID, the `user_version`, and the table `grdb_migrations`. In the file of
/// a program, these belong to the program, and the store has tables instead.
enum FileOwner: Sendable {
    case store
    case program

    /// Application ID of a file that belongs to a store: "HDRC" in ASCII.
    static let applicationID = 0x4844_5243

    /// Returns the owner of the file at `path`, before a pool opens it: a pool switches the file to write-ahead mode.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `unusable` if the file belongs to another program, and has no
    ///   store.
    static func find(_ path: String, configuration: Configuration) throws -> FileOwner {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        guard let size, size > 0 else { return .store }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.read { database in
            if try database.tableExists(FileOwner.program.migrations) { return .program }
            _ = try isOfAStore(database, path: path)
            return .store
        }
    }

    /// Makes the file of a store, or the file of a program with room for the version of the store's tables.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `unusable` if the file has another owner.
    func claim(_ database: Database, path: String) throws {
        switch self {
        case .store:
            if try !Self.isOfAStore(database, path: path) {
                try database.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
            }
        case .program:
            if try Int.fetchOne(database, sql: "PRAGMA application_id") == Self.applicationID {
                throw StoreError(
                    code: .unusable,
                    message: """
                        '\(path)' belongs to a store, which keeps its version where GRDB and a program keep theirs. Nothing \
                        in it was changed. To fix, open it with SQLiteStore(path:), or make the store on another file.
                        """
                )
            }
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS headrace_generation (
                        one INTEGER PRIMARY KEY CHECK (one = 1),
                        number INTEGER NOT NULL
                    ) STRICT;
                    INSERT INTO headrace_generation (one, number) VALUES (1, 0) ON CONFLICT DO NOTHING;
                    """
            )
        }
        try database.execute(sql: "CREATE TABLE IF NOT EXISTS \(migrations) (identifier TEXT NOT NULL PRIMARY KEY)")
    }

    /// The table of the migrations that were applied.
    private var migrations: String {
        switch self {
        case .store: "grdb_migrations"
        case .program: "headrace_migration"
        }
    }

    /// Returns the migrations that were applied to the file.
    func appliedMigrations(in database: Database) throws -> Set<String> {
        try String.fetchSet(database, sql: "SELECT identifier FROM \(migrations)")
    }

    /// Notes that a migration was applied.
    func note(_ migration: String, in database: Database) throws {
        try database.execute(sql: "INSERT INTO \(migrations) (identifier) VALUES (?)", arguments: [migration])
    }

    /// Returns the number that grows with each change of tables, indexes or schema versions.
    func generation(in database: Database) throws -> Int {
        switch self {
        case .store: Int(try database.integer("PRAGMA user_version") ?? 0)
        case .program: Int(try database.integer("SELECT number FROM headrace_generation") ?? 0)
        }
    }

    /// Runs `change` in the open transaction, and begins a generation if it changes anything.
    ///
    /// - Returns: The result of `change`, and the generation.
    func tracking<Value>(in database: Database, _ change: () throws -> Value) throws -> (Value, generation: Int) {
        let count = database.totalChangesCount
        let value = try change()
        var generation = try generation(in: database)
        if database.totalChangesCount != count {
            // SQLite keeps 32 bits of the version.
            generation = generation < Int32.max ? generation + 1 : 1
            let sql =
                switch self {
                case .store: "PRAGMA user_version = \(generation)"
                case .program: "UPDATE headrace_generation SET number = \(generation)"
                }
            try database.execute(sql: sql)
        }
        return (value, generation)
    }

    /// Whether the file has Headrace's application ID; `false` if the file is empty.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `unusable` if the file belongs to another program.
    private static func isOfAStore(_ database: Database, path: String) throws -> Bool {
        let mark = try Int.fetchOne(database, sql: "PRAGMA application_id")
        if mark == applicationID { return true }
        let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        if tables > 0 || mark != 0 {
            throw StoreError(
                code: .unusable,
                message: """
                    '\(path)' is the database of another program. Nothing in it was changed. To fix, name another file, or \
                    make the store on the program's connections with SQLiteStore(on:).
                    """
            )
        }
        return false
    }
}
#endif
