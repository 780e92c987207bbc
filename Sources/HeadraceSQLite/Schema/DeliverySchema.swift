// SPDX-License-Identifier: Apache-2.0

#if SQLite
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
