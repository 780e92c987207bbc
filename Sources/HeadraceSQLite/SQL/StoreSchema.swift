// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceStorage

/// The tables of the store, and their migrations.
///
/// All names begin with ``prefix``, so that the tables of a program can be in the same file.
enum StoreSchema {
    /// The begin of the names of all tables.
    static let prefix = "headrace_"

    /// Migrates the file, which `owner` has claimed, to the current tables in the open transaction.
    ///
    /// Refuses a file of a later version.
    static func prepare(
        _ database: Database,
        of owner: FileOwner,
        path: String,
        faults: (@Sendable (FaultPoint) -> Void)?
    ) throws {
        if try !knowsTables(of: owner, in: database) {
            throw newerSchema(path, "it has tables that this version of Headrace doesn't know")
        }
        let applied = try owner.appliedMigrations(in: database)
        // Files of the first versions have tables without a prefix until the migration that renames them.
        let isPrefixed = applied.isEmpty || applied.contains(renaming)
        for migration in migrations(isPrefixed ? prefix : "") where !applied.contains(migration.identifier) {
            if migration.identifier == renaming, isPrefixed { continue }
            try database.execute(sql: migration.sql)
            try owner.note(migration.identifier, in: database)
            faults?(.inMigration)
        }
        if isPrefixed, !applied.contains(renaming) { try owner.note(renaming, in: database) }
    }

    /// Whether this version knows all migrations that were applied to the file.
    static func knowsTables(of owner: FileOwner, in database: Database) throws -> Bool {
        try owner.appliedMigrations(in: database).isSubset(of: migrations(prefix).map(\.identifier))
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

    /// The identifier of the migration that adds the prefix to the names of tables.
    private static let renaming = "11 prefixed names"

    /// The migrations to the current tables, each applied once, in this order.
    ///
    /// - Parameter prefix: The begin of the names before the last migration: empty for a file that has tables without a prefix.
    /// - Returns: The migrations, in their order.
    static func migrations(_ prefix: String) -> [(identifier: String, sql: String)] {
        [
            (
                "1 entities and events",
                """
                CREATE TABLE \(prefix)entity_kind (
                    id INTEGER PRIMARY KEY,
                    name TEXT NOT NULL UNIQUE,
                    schema_version INTEGER NOT NULL
                ) STRICT;

                CREATE TABLE \(prefix)entity (
                    kind INTEGER NOT NULL REFERENCES \(prefix)entity_kind(id),
                    key TEXT NOT NULL,
                    version INTEGER NOT NULL,
                    schema_version INTEGER NOT NULL,
                    document TEXT NOT NULL,
                    PRIMARY KEY (kind, key)
                ) STRICT;

                -- A number is never used again: another process may still hold one of an index that was dropped.
                CREATE TABLE \(prefix)entity_index (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    kind INTEGER NOT NULL REFERENCES \(prefix)entity_kind(id),
                    name TEXT NOT NULL,
                    is_unique INTEGER NOT NULL,
                    UNIQUE (kind, name)
                ) STRICT;

                CREATE TABLE \(prefix)index_entry (
                    index_id INTEGER NOT NULL REFERENCES \(prefix)entity_index(id),
                    value ANY NOT NULL,
                    key TEXT NOT NULL,
                    PRIMARY KEY (index_id, value, key)
                ) STRICT, WITHOUT ROWID;

                CREATE TABLE \(prefix)event (
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
            ("2 deliveries", DeliverySchema.sql(prefix)),
            (
                "3 indexes of one value",
                // Existing indexes are built again.
                "ALTER TABLE \(prefix)entity_index ADD COLUMN holds_one_value INTEGER NOT NULL DEFAULT 0"
            ),
            ("4 clocks and unknown messages", DeliverySchema.clocksAndUnknownMessages(prefix)),
            ("5 pruned events", DeliverySchema.prunedEvents(prefix)),
            // When the subscription was paused; NULL if it isn't.
            ("6 paused subscriptions", "ALTER TABLE \(prefix)subscription ADD COLUMN paused_at INTEGER"),
            // The error of the last attempt at the first delivery.
            ("7 failures of attempts", "ALTER TABLE \(prefix)lane ADD COLUMN last_failure TEXT"),
            // The JSON that an operator has corrected, which replaces the stored document in one delivery.
            (
                "8 corrected dead letters",
                "ALTER TABLE \(prefix)lane ADD COLUMN correction TEXT; ALTER TABLE \(prefix)dead_letter ADD COLUMN correction TEXT"
            ),
            ("9 replays in parts", DeliverySchema.replaysInParts(prefix)),
            // Documents whose entries in an index are out of date, because their last writer doesn't declare the index.
            (
                "10 unindexed documents",
                """
                CREATE TABLE IF NOT EXISTS \(prefix)unindexed (
                    index_id INTEGER NOT NULL,
                    key TEXT NOT NULL,
                    PRIMARY KEY (index_id, key)
                ) STRICT, WITHOUT ROWID
                """
            ),
            // A file that is created now has the names from the first migration on. SQLite renames references, too.
            (
                renaming,
                renamedTables.map { "ALTER TABLE \($0) RENAME TO \(Self.prefix)\($0);" }.joined(separator: "\n")
            ),
        ]
    }

    /// The tables that had no prefix.
    private static let renamedTables = [
        "entity_kind", "entity", "entity_index", "index_entry", "unindexed", "event", "subscription", "lane",
        "delivery", "scheduled_message", "dead_letter", "idempotency", "pruned_event",
    ]
}

/// The tables of deliveries.
///
/// Completed deliveries and empty lanes are deleted, so leasing scans pending deliveries only, however many events the
/// log contains. Times are milliseconds since 1970.
enum DeliverySchema {
    static func sql(_ prefix: String) -> String {
        """
        ALTER TABLE \(prefix)event ADD COLUMN origin TEXT;

        CREATE TABLE \(prefix)subscription (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE
        ) STRICT;

        -- The deliveries of one stream to one subscription; one alone where there is no stream.
        -- A number is never used again: somebody may still hold a lease of a lane that is gone.
        CREATE TABLE \(prefix)lane (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            subscription INTEGER NOT NULL REFERENCES \(prefix)subscription(id),
            stream_kind TEXT,
            stream_key TEXT,
            ready_at INTEGER NOT NULL, -- when it may be leased; 0 as long as it was never leased
            token INTEGER NOT NULL DEFAULT 0,
            attempts INTEGER NOT NULL DEFAULT 0, -- that count for the first delivery
            begun INTEGER NOT NULL DEFAULT 0 -- the position up to which deliveries were leased and not returned
        ) STRICT;
        -- Where there is no stream, any number of lanes: SQLite takes each NULL for another value.
        CREATE UNIQUE INDEX \(prefix)lane_by_stream ON \(prefix)lane (subscription, stream_kind, stream_key);
        CREATE INDEX \(prefix)lane_by_time ON \(prefix)lane (subscription, ready_at);

        -- Positions are those of events; less than 0, the negated number of a scheduled message.
        CREATE TABLE \(prefix)delivery (
            lane INTEGER NOT NULL REFERENCES \(prefix)lane(id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            is_replay INTEGER NOT NULL,
            PRIMARY KEY (lane, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE \(prefix)scheduled_message (
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
        CREATE INDEX \(prefix)scheduled_message_by_id ON \(prefix)scheduled_message (id);

        CREATE TABLE \(prefix)dead_letter (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            subscription INTEGER NOT NULL REFERENCES \(prefix)subscription(id),
            position INTEGER NOT NULL,
            is_replay INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            reason TEXT NOT NULL,
            date INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX \(prefix)dead_letter_by_subscription ON \(prefix)dead_letter (subscription);

        CREATE TABLE \(prefix)idempotency (
            key TEXT PRIMARY KEY,
            command TEXT NOT NULL,
            outcome TEXT NOT NULL,
            date INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX \(prefix)idempotency_by_date ON \(prefix)idempotency (date);
        """
    }

    /// Columns of a lane for the clock that set its times, and for a message unknown to a relay.
    static func clocksAndUnknownMessages(_ prefix: String) -> String {
        """
        -- When ready_at was set, by the clock of the relay that set it.
        ALTER TABLE \(prefix)lane ADD COLUMN since INTEGER;

        -- The message that a relay didn't know, while the lane waits for a relay that knows it.
        ALTER TABLE \(prefix)lane ADD COLUMN unknown_name TEXT;
        ALTER TABLE \(prefix)lane ADD COLUMN unknown_version INTEGER;

        -- When a relay first didn't know the first delivery.
        ALTER TABLE \(prefix)lane ADD COLUMN unknown_since INTEGER;
        CREATE INDEX \(prefix)lane_by_unknown_name ON \(prefix)lane (subscription, unknown_name) WHERE unknown_name IS NOT NULL;
        """
    }

    /// The table with the greatest position of a pruned event.
    ///
    /// A transaction that is rolled back leaves out no position, so each missing position belonged to a pruned event.
    static func prunedEvents(_ prefix: String) -> String {
        """
        CREATE TABLE \(prefix)pruned_event (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            position INTEGER NOT NULL
        ) STRICT;

        INSERT INTO \(prefix)pruned_event (one, position)
        SELECT 1, coalesce(max(position), 0) FROM (
            SELECT position - 1 AS position FROM \(prefix)event
            WHERE position > 1 AND position - 1 NOT IN (SELECT position FROM \(prefix)event)
            UNION ALL
            SELECT seq FROM sqlite_sequence WHERE name = '\(prefix)event' AND seq NOT IN (SELECT position FROM \(prefix)event)
        );
        """
    }

    /// Columns of a subscription for a replay that isn't complete.
    static func replaysInParts(_ prefix: String) -> String {
        """
        -- The last position that the replay has passed, its last position, and the names of its events in the form of
        -- ReplayNames; NULL if no replay is incomplete. The count is that of the last replay.
        ALTER TABLE \(prefix)subscription ADD COLUMN replay_after INTEGER;
        ALTER TABLE \(prefix)subscription ADD COLUMN replay_until INTEGER;
        ALTER TABLE \(prefix)subscription ADD COLUMN replay_names TEXT;
        ALTER TABLE \(prefix)subscription ADD COLUMN replay_count INTEGER NOT NULL DEFAULT 0;

        -- The last lane before the replay; NULL if it isn't known.
        ALTER TABLE \(prefix)subscription ADD COLUMN replay_lane INTEGER;
        """
    }
}
#endif
