// SPDX-License-Identifier: Apache-2.0

#if Postgres
/// The procedure that commits a batch of units of work.
///
/// It holds the store's lock while it applies the units, so that the order of commits is the order of positions, and
/// commits without waiting for the disk. Then it releases the lock, and waits for the disk with an empty transaction: the
/// log of the database is written in order. A client that is stopped during the call can't keep the lock.
enum CommitProcedure {
    /// The lock of all writers of a store, for the rest of the transaction.
    static let lock = "pg_advisory_xact_lock(hashtextextended('headrace ' || current_schema(), 0))"

    /// Sets how the statements of a transaction are planned.
    ///
    /// Planning takes several times as long as a small batch, so plans are kept. A kept plan doesn't know the number of
    /// rows, so large batches are planned again. Without table scans and with cheap look-ups by an index, a plan that was
    /// made for an empty table stays good when the table grows.
    static func planning(ofRows count: String) -> String {
        """
        set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true),
            set_config('random_page_cost', '0', true), set_config('plan_cache_mode',
            CASE WHEN \(count) > 1000 THEN 'force_custom_plan' ELSE 'force_generic_plan' END, true)
        """
    }

    /// The SQLSTATE of a commit for kinds and indexes that have changed.
    static let schemaChanged = "HR001"

    /// The SQLSTATE of a unit of work that settles one lease twice and ends it with the first settlement.
    static let leaseLost = "HR002"

    /// The SQLSTATE of a commit that adds values to a unique index, which misses documents of programs without the index.
    static let outdated = "HR003"

    /// The SQLSTATEs of the procedure itself, which no plain SQL raises.
    static let states = [schemaChanged, leaseLost, outdated]

    /// The number of the last batch, and whether a writer other than `$1` has stored a batch after the number `$2`.
    ///
    /// The lock of the writers makes the numbers ascend in the order of the commits, so an index finds the new batches without
    /// those before. The order makes the server use it. A tombstone has a number, too, but is stored without the lock.
    static let otherBatches = """
        SELECT coalesce((SELECT max(number) FROM outcome WHERE refusals IS NOT NULL), 0),
            (
                SELECT number FROM outcome WHERE number > $2 AND writer <> $1 AND refusals IS NOT NULL
                ORDER BY number LIMIT 1
            ) IS NOT NULL
        """

    /// The parameters before the columns, with their types.
    ///
    /// `path` and `lock_timeout` are the settings of a session that keeps none, and otherwise NULL.
    static let head: [(name: String, type: String)] = [
        ("p_batch", "uuid"), ("p_writer", "uuid"), ("p_generation", "bigint"), ("p_is_durable", "boolean"),
        ("p_prunes", "boolean"), ("p_path", "text"), ("p_lock_timeout", "text"), ("p_needs_all", "boolean"),
    ]

    /// The parameters after ``head``, with their types.
    static let columns: [(name: String, type: String)] =
        [
            // Idempotency records.
            ("k_unit", "bigint"), ("k_key", "bytea"), ("k_command", "text"), ("k_outcome", "text"),
            ("k_date", "bigint"),
            // Required documents.
            ("r_unit", "bigint"), ("r_kind", "bigint"), ("r_key", "bytea"), ("r_version", "bigint"),
            ("r_schema", "bigint"), ("r_document", "text"),
            // Deletions.
            ("x_unit", "bigint"), ("x_kind", "bigint"), ("x_key", "bytea"), ("x_version", "bigint"),
            // Writes.
            ("w_unit", "bigint"), ("w_kind", "bigint"), ("w_key", "bytea"), ("w_version", "bigint"),
            ("w_schema", "bigint"), ("w_document", "text"),
            // The indexes that other programs have added.
            ("u_kind", "bigint"), ("u_index", "bigint"),
            // Removed and added index entries.
            ("o_unit", "bigint"), ("o_index", "bigint"), ("o_value", "bytea"), ("o_key", "bytea"),
            ("i_unit", "bigint"), ("i_index", "bigint"), ("i_value", "bytea"), ("i_key", "bytea"),
            ("i_unique", "bigint"),
            // Events, and deliveries by the number of their event.
            ("e_unit", "bigint"), ("e_id", "uuid"), ("e_name", "bytea"), ("e_version", "bigint"), ("e_kind", "bytea"),
            ("e_key", "bytea"), ("e_date", "bigint"), ("e_document", "text"), ("e_origin", "text"),
            ("d_event", "bigint"), ("d_subscription", "bytea"), ("d_kind", "bytea"), ("d_key", "bytea"),
            // Scheduled messages, and cancellations.
            ("m_unit", "bigint"), ("m_id", "uuid"), ("m_type", "text"), ("m_name", "bytea"), ("m_version", "bigint"),
            ("m_kind", "bytea"), ("m_key", "bytea"), ("m_due", "bigint"), ("m_since", "bigint"), ("m_document", "text"),
            ("m_origin", "text"),
            ("c_unit", "bigint"), ("c_id", "uuid"),
            // The units of the settlements, whose other columns follow.
            ("s_unit", "bigint"),
        ] + SettlementProcedure.columns + [
            // Plain SQL, and its arguments by the number of their statement.
            ("q_unit", "bigint"), ("q_sql", "text"),
            ("g_statement", "bigint"), ("g_type", "text"), ("g_value", "text"),
        ]

    /// The call of the procedure in `schema`, which is quoted.
    static func call(in schema: String) -> String {
        let places = (1...head.count + columns.count).map { "$\($0)" }.joined(separator: ", ")
        return "CALL \(schema).commit_batch(\(places), NULL)"
    }

    static var statement: String {
        """
        CREATE OR REPLACE PROCEDURE commit_batch(
            \(head.map { "\($0.name) \($0.type)" }.joined(separator: ", ")),
            \(columns.map { "\($0.name) \($0.type)[]" }.joined(separator: ", ")),
            INOUT p_refusals text
        ) LANGUAGE plpgsql AS $procedure$
        #variable_conflict use_column
        DECLARE
            v_found jsonb[] := '{}';
            v_refused bigint[] := '{}';
            v_count bigint;
            v_generation bigint;
            v_is_outdated boolean;
            v_first bigint;
            v_positions bigint[];
            v_valid bigint[];
            v_lost bigint[];
        BEGIN
            IF p_path IS NOT NULL THEN
                PERFORM set_config('search_path', p_path, true), set_config('lock_timeout', p_lock_timeout, true);
            END IF;
            PERFORM set_config('synchronous_commit', 'off', true);
            p_refusals := '[]';
            PERFORM \(planning(ofRows: "cardinality(w_unit) + cardinality(i_unit) + cardinality(d_event)"));
            PERFORM \(lock);
            SELECT generation, EXISTS (SELECT 1 FROM unindexed) INTO v_generation, v_is_outdated FROM store;
            IF v_generation <> p_generation THEN
                RAISE EXCEPTION 'the schema has changed' USING ERRCODE = '\(schemaChanged)';
            END IF;
            IF v_is_outdated AND p_needs_all AND cardinality(i_index) > 0 THEN
                IF EXISTS (
                    SELECT 1 FROM unnest(i_index, i_unique) i (index, is_unique)
                    JOIN unindexed ON unindexed.index_id = i.index WHERE i.is_unique = 1
                ) THEN
                    RAISE EXCEPTION 'a unique index misses documents' USING ERRCODE = '\(outdated)';
                END IF;
            END IF;
        \(checks)
        \(writes)
            INSERT INTO outcome (batch, writer, refusals) VALUES (p_batch, p_writer, p_refusals);
            IF p_prunes THEN
                DELETE FROM outcome WHERE at < clock_timestamp() - interval '1 hour';
            END IF;
            COMMIT;
            IF p_is_durable THEN
                PERFORM pg_logical_emit_message(true, 'headrace', '');
            END IF;
        END $procedure$
        """
    }

    /// Decides for each unit whether it is refused, before anything is written.
    ///
    /// The first cause counts, in the order of ``CommitRefusal/Cause``.
    private static let checks = [
        ifAny(
            "k_unit",
            refuse(
                """
                SELECT k.unit, 1, k.n, NULL::bigint, NULL::bytea
                FROM unnest(k_unit, k_key) WITH ORDINALITY k (unit, key, n)
                JOIN idempotency ON idempotency.key = k.key
                UNION ALL
                SELECT k.unit, 1, k.n, NULL, NULL FROM (
                    SELECT unit, n, row_number() OVER (PARTITION BY unit, key ORDER BY n) AS number
                    FROM unnest(k_unit, k_key) WITH ORDINALITY k (unit, key, n)
                ) k WHERE k.number > 1
                """)),
        ifAny(
            "r_unit",
            refuse(
                """
                SELECT r.unit, 2, r.n, entity.version, NULL::bytea
                FROM unnest(r_unit, r_kind, r_key, r_version, r_schema, r_document)
                    WITH ORDINALITY r (unit, kind, key, version, schema, document, n)
                LEFT JOIN entity ON entity.kind = r.kind AND entity.key = r.key
                WHERE entity.version IS DISTINCT FROM r.version
                    OR entity.schema_version IS DISTINCT FROM r.schema
                    OR convert_to(entity.document, 'UTF8') IS DISTINCT FROM convert_to(r.document, 'UTF8')
                """)),
        ifAny(
            "x_unit",
            refuse(
                """
                SELECT x.unit, 3, x.n, entity.version, NULL::bytea
                FROM unnest(x_unit, x_kind, x_key, x_version) WITH ORDINALITY x (unit, kind, key, version, n)
                LEFT JOIN entity ON entity.kind = x.kind AND entity.key = x.key
                WHERE entity.version IS DISTINCT FROM x.version
                """)),
        ifAny(
            "w_unit",
            refuse(
                """
                SELECT w.unit, 4, w.n, entity.version, NULL::bytea
                FROM unnest(w_unit, w_kind, w_key, w_version) WITH ORDINALITY w (unit, kind, key, version, n)
                LEFT JOIN entity ON entity.kind = w.kind AND entity.key = w.key
                WHERE coalesce(entity.version, 0) <> w.version - 1
                """)),
        ifAny(
            "i_unit",
            refuse(
                """
                SELECT i.unit, 5, i.n, NULL::bigint, index_entry.key
                FROM unnest(i_unit, i_index, i_value, i_key, i_unique)
                    WITH ORDINALITY i (unit, index, value, key, is_unique, n)
                JOIN index_entry ON index_entry.index_id = i.index AND index_entry.value = i.value
                WHERE i.is_unique = 1 AND NOT EXISTS (
                    SELECT 1 FROM unnest(o_unit, o_index, o_value, o_key) o (unit, index, value, key)
                    WHERE o.unit = i.unit AND o.index = i.index AND o.value = i.value AND o.key = index_entry.key
                )
                UNION ALL
                SELECT i.unit, 5, i.n, NULL, i.first_key FROM (
                    SELECT unit, n, row_number() OVER entry AS number, first_value(key) OVER entry AS first_key
                    FROM unnest(i_unit, i_index, i_value, i_key, i_unique)
                        WITH ORDINALITY i (unit, index, value, key, is_unique, n)
                    WHERE is_unique = 1
                    WINDOW entry AS (PARTITION BY unit, index, value ORDER BY n)
                ) i WHERE i.number > 1
                """)),
        ifAny(
            "s_unit",
            refuse(
                """
                SELECT s.unit, 6, s.n, NULL::bigint, NULL::bytea
                FROM unnest(s_unit, s_lane, s_token, s_round, s_first)
                    WITH ORDINALITY s (unit, lane, token, round, first, n)
                WHERE s.round = 0 AND (
                    NOT EXISTS (SELECT 1 FROM lane WHERE lane.id = s.lane AND lane.token = s.token)
                        OR \(SettlementProcedure.isTooLate)
                )
                """)),
        """
        IF cardinality(v_found) > 0 THEN
            SELECT jsonb_agg(refusal)::text, array_agg((refusal->>0)::bigint) INTO p_refusals, v_refused FROM (
                SELECT DISTINCT ON ((refusal->>0)::bigint) refusal FROM unnest(v_found) refusal
                ORDER BY (refusal->>0)::bigint, (refusal->>1)::bigint, (refusal->>2)::bigint
            ) refusal;
        END IF;
        """,
    ].joined(separator: "\n")

    /// Executes `statements` if the argument `column` has rows: the start of a statement takes as long as several rows.
    private static func ifAny(_ column: String, _ statements: String...) -> String {
        """
        IF cardinality(\(column)) > 0 THEN
        \(statements.joined(separator: "\n"))
        END IF;
        """
    }

    /// Adds refusals from rows of a unit, a cause, an item, a stored version, and the key of another entity.
    private static func refuse(_ rows: String) -> String {
        """
        v_found := v_found || ARRAY(
            SELECT jsonb_build_array(unit, cause, item, stored, encode(other, 'hex'))
            FROM (\(rows)) refusal (unit, cause, item, stored, other)
        );
        """
    }

    private static let writes = [
        ifAny(
            "k_unit",
            """
            INSERT INTO idempotency (key, command, outcome, date)
            SELECT k.key, k.command, k.outcome, k.date
            FROM unnest(k_unit, k_key, k_command, k_outcome, k_date) k (unit, key, command, outcome, date)
            WHERE k.unit <> ALL (v_refused);
            """),
        ifAny(
            "x_unit",
            """
            DELETE FROM entity USING unnest(x_unit, x_kind, x_key) x (unit, kind, key)
            WHERE entity.kind = x.kind AND entity.key = x.key AND x.unit <> ALL (v_refused);
            """),
        ifAny(
            "w_unit",
            """
            IF 1 < ANY (w_version) THEN
                UPDATE entity SET version = w.version, schema_version = w.schema, document = w.document
                FROM unnest(w_unit, w_kind, w_key, w_version, w_schema, w_document)
                    w (unit, kind, key, version, schema, document)
                WHERE entity.kind = w.kind AND entity.key = w.key AND w.version > 1 AND w.unit <> ALL (v_refused);
            END IF;
            IF 1 = ANY (w_version) THEN
                INSERT INTO entity (kind, key, version, schema_version, document)
                SELECT w.kind, w.key, w.version, w.schema, w.document
                FROM unnest(w_unit, w_kind, w_key, w_version, w_schema, w_document)
                    w (unit, kind, key, version, schema, document)
                WHERE w.version = 1 AND w.unit <> ALL (v_refused);
            END IF;
            """),
        ifAny("u_index", IndexFunction.note),
        ifAny(
            "o_unit",
            """
            DELETE FROM index_entry USING unnest(o_unit, o_index, o_value, o_key) o (unit, index, value, key)
            WHERE index_entry.index_id = o.index AND index_entry.value = o.value AND index_entry.key = o.key
                AND o.unit <> ALL (v_refused);
            """),
        ifAny(
            "i_unit",
            """
            INSERT INTO index_entry (index_id, value, key)
            SELECT i.index, i.value, i.key FROM unnest(i_unit, i_index, i_value, i_key) i (unit, index, value, key)
            WHERE i.unit <> ALL (v_refused)
            ON CONFLICT DO NOTHING;
            """),
        ifAny(
            "s_unit",
            """
            v_valid := ARRAY(
                SELECT n FROM unnest(s_unit) WITH ORDINALITY s (unit, n) WHERE unit <> ALL (v_refused) ORDER BY n
            );
            v_lost := settle(v_valid, \(SettlementProcedure.columns.map(\.name).joined(separator: ", ")));
            IF cardinality(v_lost) > 0 THEN
                RAISE EXCEPTION 'a lease has ended' USING ERRCODE = '\(leaseLost)', DETAIL = v_lost[1];
            END IF;
            """),
        ifAny(
            "e_unit",
            """
            SELECT count(*) INTO v_count FROM unnest(e_unit) unit WHERE unit <> ALL (v_refused);
            """,
            """
            IF v_count > 0 THEN
                -- Only this procedure takes positions, and it holds the lock.
                v_first := nextval('event_position');
                PERFORM setval('event_position', v_first + v_count - 1);
                v_positions := ARRAY(
                    SELECT CASE WHEN is_stored THEN v_first - 1 + count(*) FILTER (WHERE is_stored) OVER (ORDER BY n) END
                    FROM (
                        SELECT unit <> ALL (v_refused) AS is_stored, n FROM unnest(e_unit) WITH ORDINALITY e (unit, n)
                    ) e ORDER BY n
                );
                INSERT INTO event (
                    position, id, name, version, stream_kind, stream_key, recorded_at, document, origin
                )
                SELECT e.* FROM unnest(
                    v_positions, e_id, e_name, e_version, e_kind, e_key, e_date, e_document, e_origin
                ) e (position, id, name, version, kind, key, date, document, origin)
                WHERE e.position IS NOT NULL;
                IF cardinality(d_event) > 0 THEN
                    PERFORM deliver(array_agg(position), array_agg(subscription), array_agg(kind), array_agg(key), false)
                    FROM (
                        SELECT v_positions[d.event] AS position, d.subscription, d.kind, d.key
                        FROM unnest(d_event, d_subscription, d_kind, d_key)
                            WITH ORDINALITY d (event, subscription, kind, key, n)
                        WHERE v_positions[d.event] IS NOT NULL ORDER BY n
                    ) d HAVING count(*) > 0;
                END IF;
            END IF;
            """),
        ifAny(
            "m_unit",
            """
            PERFORM schedule(
                v_refused, m_unit, m_id, m_type, m_name, m_version, m_kind, m_key, m_due, m_since, m_document, m_origin
            );
            """),
        ifAny(
            "c_unit",
            """
            PERFORM cancel(ARRAY(SELECT c.id FROM unnest(c_unit, c_id) c (unit, id) WHERE c.unit <> ALL (v_refused)));
            """),
        ifAny("q_unit", "PERFORM execute_work(v_refused, q_unit, q_sql, g_statement, g_type, g_value);"),
    ].joined(separator: "\n")

    /// Executes the plain SQL of units of work.
    ///
    /// An anonymous block gives the arguments their types. Neither the block nor the statement can end the transaction.
    static let work = """
        CREATE OR REPLACE FUNCTION execute_work(
            p_refused bigint[], q_unit bigint[], q_sql text[], g_statement bigint[], g_type text[], g_value text[]
        ) RETURNS void LANGUAGE plpgsql SET enable_seqscan = on SET plan_cache_mode = auto AS $function$
        BEGIN
            FOR v_number IN 1..cardinality(q_unit) LOOP
                CONTINUE WHEN q_unit[v_number] = ANY (p_refused);
                EXECUTE format('DO %L', format('BEGIN EXECUTE %L%s; END', q_sql[v_number], (
                    SELECT ' USING ' || string_agg(format('%L::%s', argument.value, argument.type), ', ' ORDER BY n)
                    FROM unnest(g_statement, g_type, g_value) WITH ORDINALITY argument (statement, type, value, n)
                    WHERE argument.statement = v_number
                )));
            END LOOP;
        END $function$
        """
}
#endif
