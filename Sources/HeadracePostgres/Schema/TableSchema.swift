// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceStorage

/// The tables of a store.
///
/// Keys, names, and indexed values are `bytea`: it accepts NUL, and its order is the order of bytes in each database.
/// Documents are `text`, so that they stay byte for byte. Times are milliseconds since 1970. No foreign keys: each would
/// lock a row for each insertion, and only the functions of the store write.
enum TableSchema {
    /// Rows of these tables live for a short time, so they are vacuumed early.
    private static let shortLived = """
        WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0)
        """

    /// The version of the tables that this version of Headrace knows.
    static let version = migrations.last?.version ?? 1

    /// The changes of each version of the tables after the first, in ascending order without gaps.
    ///
    /// From version 7 on, each migration can be repeated: stores exist that have the columns of version 7, and say 6.
    static let migrations: [(version: Int64, statements: [String])] = [
        // Counts replays, which make old lanes new again. The first number doesn't change the last value of a sequence.
        (2, ["CREATE SEQUENCE replay_number", "SELECT nextval('replay_number')"]),
        // The condition is always true, but only a query with a condition on the time meets it. Without it, a plan that is
        // made for an empty table finds the lane of a stream by this index, and so reads all lanes of the subscription.
        (
            3,
            [
                "DROP INDEX lane_by_time",
                "CREATE INDEX lane_by_time ON lane (subscription, ready_at, id) WHERE ready_at IS NOT NULL",
            ]
        ),
        // The greatest position of a pruned event. In an existing log, a missing position is that of a pruned event or of a
        // transaction that was rolled back. All before the last event count as pruned, so that no loss is overlooked.
        // A trigger keeps the position, because a program of an earlier version may be in its 'prune' during the migration.
        (
            4,
            [
                "ALTER TABLE store ADD COLUMN pruned_position bigint NOT NULL DEFAULT 0",
                """
                UPDATE store SET pruned_position = coalesce(
                    (SELECT max(position) - 1 FROM event
                        WHERE position > 1
                            AND NOT EXISTS (SELECT 1 FROM event other WHERE other.position = event.position - 1)),
                    CASE WHEN EXISTS (SELECT 1 FROM event) THEN 0 END,
                    (SELECT last_value FROM event_position WHERE is_called),
                    0
                )
                """,
                """
                CREATE FUNCTION note_pruned() RETURNS trigger LANGUAGE plpgsql AS $function$
                BEGIN
                    UPDATE store SET pruned_position = last
                    FROM (SELECT max(position) AS last FROM pruned) AS newest
                    WHERE pruned_position < last;
                    RETURN NULL;
                END $function$
                """,
                """
                CREATE TRIGGER note_pruned AFTER DELETE ON event REFERENCING OLD TABLE AS pruned
                FOR EACH STATEMENT EXECUTE FUNCTION note_pruned()
                """,
            ]
        ),
        // When the subscription was paused; NULL if it isn't. The function that leases has the same parameters as before, so
        // programs of earlier versions lease no lane of a paused subscription either.
        (5, ["ALTER TABLE subscription ADD COLUMN paused_at bigint"]),
        // The error of the last attempt at the first delivery. A settlement has it in the parameter of the unknown name, which a
        // retry doesn't use, so programs of earlier versions still call the same functions.
        (6, ["ALTER TABLE lane ADD COLUMN last_failure bytea"]),
        // The JSON that an operator has corrected, which replaces the stored document in one delivery. The function that leases
        // returns it as the document, so programs of earlier versions handle it, too.
        (
            7,
            [
                "ALTER TABLE lane ADD COLUMN IF NOT EXISTS correction text",
                "ALTER TABLE dead_letter ADD COLUMN IF NOT EXISTS correction text",
            ]
        ),
        // Only procedures: a lease commits before its messages are read, a renewal waits for the disk, a settlement names the first
        // position that it believes unsettled, and a scheduled message has the time at which it was scheduled, for which the tables
        // have a column. The functions of earlier versions stay for their programs.
        (8, []),
        // A replay that isn't complete: the last position that it has passed, its last position, and the names of its events in the
        // form of ReplayNames. NULL if there is none. The count is that of the last replay. Programs of earlier versions that replay
        // call a function that stays, and lease by the function with the same parameters as before.
        (
            9,
            [
                """
                ALTER TABLE subscription ADD COLUMN IF NOT EXISTS replay_after bigint,
                    ADD COLUMN IF NOT EXISTS replay_until bigint,
                    ADD COLUMN IF NOT EXISTS replay_names text,
                    ADD COLUMN IF NOT EXISTS replay_count bigint NOT NULL DEFAULT 0
                """
            ]
        ),
        // Documents whose entries in an index are out of date, because their last writer doesn't declare the index; and
        // how often entries were completed, so that a query notices a completion that is concurrent.
        (
            10,
            [
                """
                CREATE TABLE IF NOT EXISTS unindexed (
                    index_id bigint NOT NULL,
                    key bytea NOT NULL,
                    PRIMARY KEY (index_id, key)
                )
                """,
                "CREATE TABLE IF NOT EXISTS completion (one boolean PRIMARY KEY CHECK (one), number bigint NOT NULL)",
                "INSERT INTO completion VALUES (true, 0) ON CONFLICT DO NOTHING",
            ]
        ),
        // The messages that other clients have staged and no lease has moved yet; see StagedMessages and StagingWatch. Numbers ascend
        // in all sessions, because no session takes several at once. A unit of work can cancel a message with a time. The numbers
        // of the moved messages are others, because rows aren't always moved in the order of their numbers. There is no check,
        // because the server would parse it for each row.
        (
            11,
            [
                """
                CREATE TABLE IF NOT EXISTS staged (
                    id bigint GENERATED ALWAYS AS IDENTITY (CACHE 1) PRIMARY KEY,
                    kind text NOT NULL, -- event, command, or cancellation
                    message uuid NOT NULL,
                    name bytea,
                    version bigint,
                    stream_kind bytea,
                    stream_key bytea,
                    due_at bigint, -- NULL for as soon as possible
                    document text,
                    origin text
                ) \(shortLived)
                """,
                "CREATE INDEX IF NOT EXISTS staged_by_message ON staged (message) WHERE due_at IS NOT NULL",
                "CREATE SEQUENCE IF NOT EXISTS staged_number",
                "CREATE SEQUENCE IF NOT EXISTS staged_watch MINVALUE 0",
            ]
        ),
    ]

    /// The tables of the first version.
    static let statements = [
        """
        CREATE TABLE store (
            one boolean PRIMARY KEY CHECK (one),
            tables bigint NOT NULL, -- the version of the tables
            generation bigint NOT NULL, -- grows with each change of kinds or indexes
            identifier uuid NOT NULL
        )
        """,
        """
        CREATE TABLE entity_kind (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name bytea NOT NULL UNIQUE,
            schema_version bigint NOT NULL
        )
        """,
        """
        CREATE TABLE entity (
            kind bigint NOT NULL,
            key bytea NOT NULL,
            version bigint NOT NULL,
            schema_version bigint NOT NULL,
            document text NOT NULL,
            PRIMARY KEY (kind, key)
        ) WITH (fillfactor = 80) -- so that a new version fits on the page of the old one
        """,
        """
        CREATE TABLE entity_index (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            kind bigint NOT NULL,
            name bytea NOT NULL,
            is_unique boolean NOT NULL,
            holds_one_value boolean NOT NULL,
            UNIQUE (kind, name)
        )
        """,
        """
        CREATE TABLE index_entry (
            index_id bigint NOT NULL,
            value bytea NOT NULL, -- in the form of IndexValue.sortKey
            key bytea NOT NULL,
            PRIMARY KEY (index_id, value, key)
        )
        """,
        "CREATE INDEX index_entry_by_key ON index_entry (index_id, key, value)",
        "CREATE SEQUENCE event_position",
        """
        CREATE TABLE event (
            position bigint PRIMARY KEY,
            id uuid NOT NULL,
            name bytea NOT NULL,
            version bigint NOT NULL,
            stream_kind bytea,
            stream_key bytea,
            recorded_at bigint NOT NULL,
            document text NOT NULL,
            origin text
        )
        """,
        """
        CREATE TABLE subscription (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name bytea NOT NULL UNIQUE
        )
        """,
        "CREATE SEQUENCE lane_id",
        """
        CREATE TABLE lane ( -- the deliveries of one stream to one subscription; one delivery if there is no stream
            id bigint PRIMARY KEY, -- never used again, because a relay can still hold a lease of a deleted lane
            subscription bigint NOT NULL,
            stream_kind bytea,
            stream_key bytea,
            ready_at bigint NOT NULL, -- the time from which it may be leased; 0 until the first lease
            token bigint NOT NULL DEFAULT 0,
            attempts bigint NOT NULL DEFAULT 0, -- that count for the first delivery
            begun bigint NOT NULL DEFAULT 0, -- position up to which deliveries were leased and not returned
            since bigint, -- when ready_at was set, by the clock that set it; NULL if ready_at doesn't depend on a clock
            unknown_name bytea, -- the message that a relay didn't know, while the lane waits for another relay
            unknown_version bigint,
            unknown_since bigint, -- when a relay first didn't know the first delivery
            UNIQUE (subscription, stream_kind, stream_key)
        ) \(shortLived)
        """,
        "CREATE INDEX lane_by_time ON lane (subscription, ready_at, id)",
        "CREATE INDEX lane_by_unknown_name ON lane (subscription) WHERE unknown_name IS NOT NULL",
        """
        CREATE TABLE delivery (
            lane bigint NOT NULL,
            position bigint NOT NULL, -- of an event; less than 0, the negated number of a scheduled message
            is_replay boolean NOT NULL,
            PRIMARY KEY (lane, position)
        ) \(shortLived)
        """,
        "CREATE INDEX delivery_by_position ON delivery (position)",
        "CREATE SEQUENCE message_number",
        """
        CREATE TABLE scheduled_message (
            number bigint PRIMARY KEY,
            id uuid NOT NULL,
            kind text NOT NULL,
            name bytea NOT NULL,
            version bigint NOT NULL,
            stream_kind bytea,
            stream_key bytea,
            due_at bigint NOT NULL,
            document text NOT NULL,
            origin text,
            lane bigint NOT NULL
        )
        """,
        "CREATE INDEX scheduled_message_by_id ON scheduled_message (id)",
        """
        CREATE TABLE dead_letter (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            subscription bigint NOT NULL,
            position bigint NOT NULL,
            is_replay boolean NOT NULL,
            attempts bigint NOT NULL,
            reason bytea NOT NULL,
            date bigint NOT NULL
        )
        """,
        "CREATE INDEX dead_letter_by_subscription ON dead_letter (subscription, id)",
        "CREATE INDEX dead_letter_by_position ON dead_letter (position)",
        """
        CREATE TABLE idempotency (
            key bytea PRIMARY KEY,
            command text NOT NULL,
            outcome text NOT NULL,
            date bigint NOT NULL
        )
        """,
        "CREATE INDEX idempotency_by_date ON idempotency (date)",
        """
        CREATE TABLE outcome ( -- of a batch of commits, for a process that has lost the answer
            batch uuid PRIMARY KEY,
            number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
            writer uuid NOT NULL,
            at timestamptz NOT NULL DEFAULT clock_timestamp(),
            refusals text -- NULL: the batch must not be stored any longer
        )
        """,
        "CREATE INDEX outcome_by_time ON outcome (at)",
    ]
}

/// The statements about indexes that miss the documents of programs without them.
enum IndexFunction {
    /// Notes the documents of a batch for the indexes that its program doesn't declare, within the procedure that commits.
    static let note = """
        INSERT INTO unindexed (index_id, key)
        SELECT u.index, changed.key FROM (
            SELECT unit, kind, key FROM unnest(x_unit, x_kind, x_key) x (unit, kind, key)
            UNION ALL
            SELECT unit, kind, key FROM unnest(w_unit, w_kind, w_key) w (unit, kind, key)
        ) changed
        JOIN unnest(u_kind, u_index) u (kind, index) ON u.kind = changed.kind
        WHERE changed.unit <> ALL (v_refused)
        ON CONFLICT DO NOTHING;
        """

    /// Creates the function that replaces the entries of documents in some indexes.
    ///
    /// Skips documents whose row has changed since their entries were computed: the row's number is its `xmin`, or NULL for
    /// a document that doesn't exist.
    static let statement = """
        CREATE OR REPLACE FUNCTION index_documents(
            p_kind bigint, p_indexes bigint[], d_key bytea[], d_row bigint[],
            e_index bigint[], e_value bytea[], e_key bytea[]
        ) RETURNS void LANGUAGE plpgsql AS $function$
        DECLARE
            v_same bytea[];
        BEGIN
            PERFORM \(CommitProcedure.planning(ofRows: "cardinality(d_key)"));
            PERFORM \(CommitProcedure.lock);
            v_same := ARRAY(
                SELECT d.key FROM unnest(d_key, d_row) d (key, row)
                LEFT JOIN entity ON entity.kind = p_kind AND entity.key = d.key
                WHERE entity.xmin::text::bigint IS NOT DISTINCT FROM d.row
            );
            DELETE FROM index_entry USING unnest(p_indexes) i (index), unnest(v_same) d (key)
            WHERE index_entry.index_id = i.index AND index_entry.key = d.key;
            INSERT INTO index_entry (index_id, value, key)
            SELECT e.index, e.value, e.key FROM unnest(e_index, e_value, e_key) e (index, value, key)
            JOIN unnest(v_same) d (key) ON d.key = e.key
            JOIN entity_index ON entity_index.id = e.index
            ON CONFLICT DO NOTHING;
            DELETE FROM unindexed USING unnest(p_indexes) i (index), unnest(v_same) d (key)
            WHERE unindexed.index_id = i.index AND unindexed.key = d.key;
            UPDATE completion SET number = number + 1;
        END $function$
        """
}

/// The stores that have a schema open, in all processes.
///
/// Each store has a shared advisory lock on its connection for notifications. So the server forgets a store as soon as its
/// process has ended, and knows no store behind a pooler.
struct OpenStores {
    private static let key = "hashtextextended('headrace store ' || $1, 0)"

    let schema: String
    let session: Session

    private var name: PostgresValue { .text([UInt8](schema)) }

    /// Registers a store until ``unregister()`` or until the connection ends.
    func register() async throws {
        _ = try await session.run("SELECT pg_advisory_lock_shared(\(Self.key))", [name])
    }

    func unregister() async throws {
        _ = try await session.run("SELECT pg_advisory_unlock_shared(\(Self.key))", [name])
    }

    /// Keeps other stores from registering until the open transaction ends, if none is registered.
    ///
    /// - Returns: Descriptions of the processes that are registered; empty if none is.
    func exclude() async throws -> [String] {
        while true {
            // A lock that waits would stop stores that connect again.
            let row = try await session.run("SELECT pg_try_advisory_xact_lock(\(Self.key))", [name]).first
            if try row?.flag(0) == true { return [] }
            let processes = try await processes()
            // The process may have ended between both statements.
            if !processes.isEmpty { return processes }
        }
    }

    private func processes() async throws -> [String] {
        let rows = try await session.run(
            """
            SELECT coalesce(nullif(application_name, ''), 'a process') || coalesce(' at ' || host(client_addr), '')
                || coalesce(to_char(backend_start AT TIME ZONE 'UTC', '" (since "YYYY-MM-DD HH24:MI:SS" UTC)"'), '')
            FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)
            WHERE locktype = 'advisory' AND granted AND objsubid = 1
                AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                AND (classid::bigint << 32) | objid::bigint = \(Self.key)
            ORDER BY backend_start, pid
            """,
            [name]
        )
        return try rows.rows.map { try $0.text(0) }
    }
}
#endif
