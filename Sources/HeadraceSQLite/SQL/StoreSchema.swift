// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceStorage

/// The tables of the store, and their migrations.
enum StoreSchema {
    /// Application ID of a Headrace file: "HDRC" in ASCII.
    static let applicationID = 0x4844_5243

    /// Refuses the file of another program before a pool opens it, because a pool would switch the file to write-ahead
    /// mode.
    static func validateApplicationID(path: String, configuration: Configuration) throws {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        guard let size, size > 0 else { return }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        _ = try queue.read { try isOurs($0, path: path) }
    }

    /// Migrates the file to the current tables in the open transaction.
    ///
    /// Refuses a file of another program or of a later version.
    static func prepare(_ database: Database, path: String, faults: (@Sendable (FaultPoint) -> Void)?) throws {
        if try !isOurs(database, path: path) {
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
        }
        try database.execute(sql: "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        if try !knowsTables(in: database) {
            throw newerSchema(path, "it has tables that this version of Headrace doesn't know")
        }
        let applied = try appliedMigrations(in: database)
        for migration in migrations where !applied.contains(migration.identifier) {
            try database.execute(sql: migration.sql)
            try database.execute(
                sql: "INSERT INTO grdb_migrations (identifier) VALUES (?)",
                arguments: [migration.identifier]
            )
            faults?(.inMigration)
        }
    }

    /// Whether this version knows all migrations that were applied to the file.
    static func knowsTables(in database: Database) throws -> Bool {
        try appliedMigrations(in: database).isSubset(of: migrations.map(\.identifier))
    }

    /// Returns the migrations that were applied to the file.
    static func appliedMigrations(in database: Database) throws -> Set<String> {
        try String.fetchSet(database, sql: "SELECT identifier FROM grdb_migrations")
    }

    /// Whether the file has Headrace's application ID; `false` if the file is empty.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `unusable` if the file belongs to another program.
    private static func isOurs(_ database: Database, path: String) throws -> Bool {
        let mark = try Int.fetchOne(database, sql: "PRAGMA application_id")
        if mark == applicationID { return true }
        let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        if tables > 0 || mark != 0 {
            throw StoreError(
                code: .unusable,
                message: """
                    '\(path)' is the database of another program. Nothing in it was changed. To fix, name \
                    another file.
                    """
            )
        }
        return false
    }

    static func newerSchema(_ path: String, _ what: String) -> StoreError {
        StoreError(
            code: .newerSchema,
            message: """
                '\(path)' was written by a later version: \(what). Nothing in it was changed. To fix, run the \
                version of the program that wrote it, or a later one.
                """
        )
    }

    /// The migrations to the current tables, each applied once, in this order.
    static let migrations: [(identifier: String, sql: String)] = [
        (
            "1 entities and events",
            """
            CREATE TABLE entity_kind (
                id INTEGER PRIMARY KEY,
                name TEXT NOT NULL UNIQUE,
                schema_version INTEGER NOT NULL
            ) STRICT;

            CREATE TABLE entity (
                kind INTEGER NOT NULL REFERENCES entity_kind(id),
                key TEXT NOT NULL,
                version INTEGER NOT NULL,
                schema_version INTEGER NOT NULL,
                document TEXT NOT NULL,
                PRIMARY KEY (kind, key)
            ) STRICT;

            -- A number is never used again: another process may still hold one of an index that was dropped.
            CREATE TABLE entity_index (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                kind INTEGER NOT NULL REFERENCES entity_kind(id),
                name TEXT NOT NULL,
                is_unique INTEGER NOT NULL,
                UNIQUE (kind, name)
            ) STRICT;

            CREATE TABLE index_entry (
                index_id INTEGER NOT NULL REFERENCES entity_index(id),
                value ANY NOT NULL,
                key TEXT NOT NULL,
                PRIMARY KEY (index_id, value, key)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE event (
                position INTEGER PRIMARY KEY AUTOINCREMENT,
                id TEXT NOT NULL,
                name TEXT NOT NULL,
                version INTEGER NOT NULL,
                stream_kind TEXT,
                stream_key TEXT,
                recorded_at INTEGER NOT NULL, -- milliseconds since 1970
                document TEXT NOT NULL
            ) STRICT;
            """
        ),
        ("2 deliveries", DeliverySchema.sql),
        (
            "3 indexes of one value",
            // Existing indexes are built again.
            "ALTER TABLE entity_index ADD COLUMN holds_one_value INTEGER NOT NULL DEFAULT 0"
        ),
        ("4 clocks and unknown messages", DeliverySchema.clocksAndUnknownMessages),
        ("5 pruned events", DeliverySchema.prunedEvents),
        // When the subscription was paused; NULL if it isn't.
        ("6 paused subscriptions", "ALTER TABLE subscription ADD COLUMN paused_at INTEGER"),
        // The error of the last attempt at the first delivery.
        ("7 failures of attempts", "ALTER TABLE lane ADD COLUMN last_failure TEXT"),
        // The JSON that an operator has corrected, which replaces the stored document in one delivery.
        (
            "8 corrected dead letters",
            "ALTER TABLE lane ADD COLUMN correction TEXT; ALTER TABLE dead_letter ADD COLUMN correction TEXT"
        ),
        ("9 replays in parts", DeliverySchema.replaysInParts),
        // Documents whose entries in an index are out of date, because their last writer doesn't declare the index.
        (
            "10 unindexed documents",
            """
            CREATE TABLE IF NOT EXISTS unindexed (
                index_id INTEGER NOT NULL,
                key TEXT NOT NULL,
                PRIMARY KEY (index_id, key)
            ) STRICT, WITHOUT ROWID
            """
        ),
    ]
}

/// The tables of deliveries.
///
/// Completed deliveries and empty lanes are deleted, so leasing scans pending deliveries only, however many events the
/// log contains. Times are milliseconds since 1970.
enum DeliverySchema {
    static let sql = """
        ALTER TABLE event ADD COLUMN origin TEXT;

        CREATE TABLE subscription (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE
        ) STRICT;

        -- The deliveries of one stream to one subscription; one alone where there is no stream.
        -- A number is never used again: somebody may still hold a lease of a lane that is gone.
        CREATE TABLE lane (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            subscription INTEGER NOT NULL REFERENCES subscription(id),
            stream_kind TEXT,
            stream_key TEXT,
            ready_at INTEGER NOT NULL, -- when it may be leased; 0 as long as it was never leased
            token INTEGER NOT NULL DEFAULT 0,
            attempts INTEGER NOT NULL DEFAULT 0, -- that count for the first delivery
            begun INTEGER NOT NULL DEFAULT 0 -- the position up to which deliveries were leased and not returned
        ) STRICT;
        -- Where there is no stream, any number of lanes: SQLite takes each NULL for another value.
        CREATE UNIQUE INDEX lane_by_stream ON lane (subscription, stream_kind, stream_key);
        CREATE INDEX lane_by_time ON lane (subscription, ready_at);

        -- Positions are those of events; less than 0, the negated number of a scheduled message.
        CREATE TABLE delivery (
            lane INTEGER NOT NULL REFERENCES lane(id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            is_replay INTEGER NOT NULL,
            PRIMARY KEY (lane, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE scheduled_message (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            version INTEGER NOT NULL,
            stream_kind TEXT,
            stream_key TEXT,
            due_at INTEGER NOT NULL,
            document TEXT NOT NULL,
            origin TEXT,
            lane INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX scheduled_message_by_id ON scheduled_message (id);

        CREATE TABLE dead_letter (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            subscription INTEGER NOT NULL REFERENCES subscription(id),
            position INTEGER NOT NULL,
            is_replay INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            reason TEXT NOT NULL,
            date INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX dead_letter_by_subscription ON dead_letter (subscription);

        CREATE TABLE idempotency (
            key TEXT PRIMARY KEY,
            command TEXT NOT NULL,
            outcome TEXT NOT NULL,
            date INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX idempotency_by_date ON idempotency (date);
        """

    /// Columns of a lane for the clock that set its times, and for a message unknown to a relay.
    static let clocksAndUnknownMessages = """
        -- When ready_at was set, by the clock of the relay that set it.
        ALTER TABLE lane ADD COLUMN since INTEGER;

        -- The message that a relay didn't know, while the lane waits for a relay that knows it.
        ALTER TABLE lane ADD COLUMN unknown_name TEXT;
        ALTER TABLE lane ADD COLUMN unknown_version INTEGER;

        -- When a relay first didn't know the first delivery.
        ALTER TABLE lane ADD COLUMN unknown_since INTEGER;
        CREATE INDEX lane_by_unknown_name ON lane (subscription, unknown_name) WHERE unknown_name IS NOT NULL;
        """

    /// The table with the greatest position of a pruned event.
    ///
    /// A transaction that is rolled back leaves out no position, so each missing position belonged to a pruned event.
    static let prunedEvents = """
        CREATE TABLE pruned_event (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            position INTEGER NOT NULL
        ) STRICT;

        INSERT INTO pruned_event (one, position)
        SELECT 1, coalesce(max(position), 0) FROM (
            SELECT position - 1 AS position FROM event
            WHERE position > 1 AND position - 1 NOT IN (SELECT position FROM event)
            UNION ALL
            SELECT seq FROM sqlite_sequence WHERE name = 'event' AND seq NOT IN (SELECT position FROM event)
        );
        """

    /// Columns of a subscription for a replay that isn't complete.
    static let replaysInParts = """
        -- The last position that the replay has passed, its last position, and the names of its events in the form of
        -- ReplayNames; NULL if no replay is incomplete. The count is that of the last replay.
        ALTER TABLE subscription ADD COLUMN replay_after INTEGER;
        ALTER TABLE subscription ADD COLUMN replay_until INTEGER;
        ALTER TABLE subscription ADD COLUMN replay_names TEXT;
        ALTER TABLE subscription ADD COLUMN replay_count INTEGER NOT NULL DEFAULT 0;

        -- The last lane before the replay; NULL if it isn't known.
        ALTER TABLE subscription ADD COLUMN replay_lane INTEGER;
        """
}
#endif
