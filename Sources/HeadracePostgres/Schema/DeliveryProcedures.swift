// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceStorage

/// The functions that make deliveries and deliver again.
///
/// All but the first three take the store's lock.
enum DeliveryProcedures {
    /// The subscriptions and lanes of deliveries, from arrays of their subscriptions and streams.
    static func places(_ subscriptions: String, _ kinds: String, _ keys: String) -> String {
        """
        SELECT subscription.id AS subscription, lane.id AS lane
        FROM unnest(\(subscriptions), \(kinds), \(keys)) WITH ORDINALITY d (subscription, kind, key, n)
        LEFT JOIN subscription ON subscription.name = d.subscription
        LEFT JOIN lane ON lane.subscription = subscription.id AND lane.stream_kind = d.kind AND lane.stream_key = d.key
        ORDER BY n
        """
    }

    static let statements = [
        // Adds deliveries to the lanes of their streams, and makes the lanes that are missing, in the order of deliveries.
        """
        CREATE OR REPLACE FUNCTION deliver(
            p_positions bigint[], p_subscriptions bytea[], p_kinds bytea[], p_keys bytea[], p_is_replay boolean
        ) RETURNS void LANGUAGE plpgsql AS $function$
        #variable_conflict use_column
        DECLARE
            v_subscriptions bigint[];
            v_lanes bigint[];
            v_first bigint;
            v_numbers bigint[];
        BEGIN
            FOR v_attempt IN 1..2 LOOP
                SELECT array_agg(subscription), array_agg(lane) INTO v_subscriptions, v_lanes
                FROM (\(places("p_subscriptions", "p_kinds", "p_keys"))) place;
                EXIT WHEN array_position(v_subscriptions, NULL) IS NULL;
                INSERT INTO subscription (name)
                SELECT DISTINCT s.name FROM unnest(p_subscriptions) s (name)
                WHERE NOT EXISTS (SELECT 1 FROM subscription WHERE subscription.name = s.name);
            END LOOP;

            IF array_position(v_lanes, NULL) IS NOT NULL THEN
                -- The numbers of new lanes, in the order of their first deliveries.
                v_numbers := ARRAY(
                    SELECT CASE WHEN lane IS NULL THEN dense_rank() OVER (PARTITION BY lane IS NULL ORDER BY first) END
                    FROM (
                        SELECT lane, n,
                            min(n) OVER (PARTITION BY subscription, kind, key, CASE WHEN kind IS NULL THEN n END) AS first
                        FROM unnest(v_subscriptions, p_kinds, p_keys, v_lanes)
                            WITH ORDINALITY d (subscription, kind, key, lane, n)
                    ) d ORDER BY n
                );
                -- All callers hold the store's lock.
                v_first := nextval('lane_id');
                PERFORM setval('lane_id', v_first - 1 + max(number)) FROM unnest(v_numbers) number;
                -- The position of a scheduled message is less than 0, and not leased yet.
                INSERT INTO lane (id, subscription, stream_kind, stream_key, ready_at, begun)
                SELECT DISTINCT ON (number) v_first - 1 + number, subscription, kind, key, 0, least(0, position - 1)
                FROM unnest(v_numbers, v_subscriptions, p_kinds, p_keys, p_positions)
                    d (number, subscription, kind, key, position)
                WHERE number IS NOT NULL ORDER BY number, position;
                v_lanes := ARRAY(
                    SELECT coalesce(lane, v_first - 1 + number)
                    FROM unnest(v_lanes, v_numbers) WITH ORDINALITY d (lane, number, n) ORDER BY n
                );
            END IF;

            INSERT INTO delivery (lane, position, is_replay)
            SELECT d.lane, d.position, p_is_replay FROM unnest(v_lanes, p_positions) d (lane, position)
            ON CONFLICT DO NOTHING;
        END $function$
        """,
        """
        CREATE OR REPLACE FUNCTION schedule(
            p_refused bigint[], m_unit bigint[], m_id uuid[], m_type text[], m_name bytea[], m_version bigint[],
            m_kind bytea[], m_key bytea[], m_due bigint[], m_since bigint[], m_document text[], m_origin text[]
        ) RETURNS void LANGUAGE plpgsql AS $function$
        #variable_conflict use_column
        BEGIN
            INSERT INTO subscription (name)
            SELECT '\(scheduled)'::bytea WHERE EXISTS (SELECT 1 FROM unnest(m_unit) unit WHERE unit <> ALL (p_refused))
                AND NOT EXISTS (SELECT 1 FROM subscription WHERE subscription.name = '\(scheduled)');

            WITH message AS MATERIALIZED (
                SELECT nextval('message_number') AS number, nextval('lane_id') AS lane, ordered.* FROM (
                    SELECT * FROM unnest(
                        m_unit, m_id, m_type, m_name, m_version, m_kind, m_key, m_due, m_since, m_document, m_origin
                    ) WITH ORDINALITY m (unit, id, type, name, version, kind, key, due, since, document, origin, n)
                    WHERE m.unit <> ALL (p_refused) ORDER BY n
                ) ordered
            ), made AS (
                INSERT INTO lane (id, subscription, ready_at, since)
                SELECT message.lane, subscription.id, greatest(1, message.due), message.since
                FROM message, subscription WHERE subscription.name = '\(scheduled)'
            ), stored AS (
                INSERT INTO scheduled_message (
                    number, id, kind, name, version, stream_kind, stream_key, due_at, document, origin, lane
                )
                SELECT number, id, type, name, version, kind, key, due, document, origin, lane FROM message
            )
            INSERT INTO delivery (lane, position, is_replay) SELECT lane, -number, false FROM message;
        END $function$
        """,
        """
        CREATE OR REPLACE FUNCTION cancel(p_ids uuid[]) RETURNS void LANGUAGE plpgsql AS $function$
        DECLARE
            v_lanes bigint[];
            v_firsts bigint[];
        BEGIN
            DELETE FROM staged WHERE staged.message = ANY (p_ids) AND staged.due_at IS NOT NULL;
            WITH gone AS (
                DELETE FROM delivery USING scheduled_message message
                WHERE message.id = ANY (p_ids) AND delivery.lane = message.lane AND delivery.position = -message.number
                RETURNING delivery.lane, delivery.position
            )
            SELECT array_agg(lane), array_agg(first) INTO v_lanes, v_firsts
            FROM (SELECT lane, min(position) AS first FROM gone GROUP BY lane) gone;
            IF v_lanes IS NOT NULL THEN
                DELETE FROM lane WHERE lane.id = ANY (v_lanes)
                    AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.lane = lane.id);
                -- The lanes of streams, which have further messages. A relay may be handling the cancelled one.
                UPDATE lane SET token = lane.token + 1,
                    attempts = CASE WHEN gone.is_head THEN 0 ELSE lane.attempts END,
                    last_failure = CASE WHEN NOT gone.is_head THEN lane.last_failure END,
                    unknown_name = CASE WHEN NOT gone.is_head THEN lane.unknown_name END,
                    unknown_version = CASE WHEN NOT gone.is_head THEN lane.unknown_version END,
                    unknown_since = CASE WHEN NOT gone.is_head THEN lane.unknown_since END,
                    since = CASE WHEN NOT gone.is_head THEN lane.since END,
                    ready_at = CASE WHEN gone.is_head THEN least(1, lane.ready_at) ELSE lane.ready_at END
                FROM (
                    SELECT g.lane, g.first,
                        g.first < (SELECT min(position) FROM delivery WHERE delivery.lane = g.lane) AS is_head
                    FROM unnest(v_lanes, v_firsts) g (lane, first)
                ) gone WHERE lane.id = gone.lane AND (gone.is_head OR gone.first <= lane.begun);
            END IF;
            DELETE FROM dead_letter USING scheduled_message message
            WHERE message.id = ANY (p_ids) AND dead_letter.position = -message.number;
            DELETE FROM scheduled_message WHERE id = ANY (p_ids);
        END $function$
        """,
        // Returns when the renewals are on the disk: a relay relies on them, and a crash of the server must not let another relay
        // lease a lane before the end that this relay knows.
        """
        CREATE OR REPLACE PROCEDURE renew_leases(
            p_path text, p_lock_timeout text, p_lanes bigint[], p_tokens bigint[], p_ready bigint, INOUT p_refused bigint[]
        ) LANGUAGE plpgsql AS $procedure$
        BEGIN
            IF p_path IS NOT NULL THEN
                PERFORM set_config('search_path', p_path, true), set_config('lock_timeout', p_lock_timeout, true);
            END IF;
            PERFORM set_config('synchronous_commit', 'off', true);
            PERFORM \(CommitProcedure.lock);
            UPDATE lane SET since = p_ready - (ready_at - since), ready_at = p_ready
            FROM unnest(p_lanes, p_tokens) lease (lane, token)
            WHERE lane.id = lease.lane AND lane.token = lease.token;
            p_refused := ARRAY(
                SELECT n FROM unnest(p_lanes, p_tokens) WITH ORDINALITY lease (lane, token, n)
                WHERE NOT EXISTS (SELECT 1 FROM lane WHERE lane.id = lease.lane AND lane.token = lease.token)
                ORDER BY n
            );
            COMMIT;
            PERFORM pg_logical_emit_message(true, 'headrace', '');
        END $procedure$
        """,
        """
        CREATE OR REPLACE FUNCTION replay_dead_letters(p_ids bigint[]) RETURNS bigint LANGUAGE plpgsql AS $function$
        #variable_conflict use_column
        DECLARE
            v_count bigint;
        BEGIN
            PERFORM \(CommitProcedure.lock);
            WITH letter AS MATERIALIZED (
                SELECT nextval('lane_id') AS lane, ordered.* FROM (
                    SELECT dead_letter.* FROM dead_letter
                    JOIN (SELECT id, min(n) AS n FROM unnest(p_ids) WITH ORDINALITY w (id, n) GROUP BY id) wanted
                        ON wanted.id = dead_letter.id
                    ORDER BY wanted.n
                ) ordered
            ), made AS (
                INSERT INTO lane (id, subscription, ready_at, correction)
                SELECT lane, subscription, 0, correction FROM letter
            ), delivered AS (
                INSERT INTO delivery (lane, position, is_replay) SELECT lane, position, is_replay FROM letter
            ), moved AS (
                UPDATE scheduled_message SET lane = letter.lane FROM letter
                WHERE letter.position < 0 AND scheduled_message.number = -letter.position
            ), gone AS (
                DELETE FROM dead_letter USING letter WHERE dead_letter.id = letter.id
            )
            SELECT count(*) INTO v_count FROM letter;
            RETURN v_count;
        END $function$
        """,
        """
        CREATE OR REPLACE FUNCTION replay_corrected(p_id bigint, p_correction text) RETURNS boolean
        LANGUAGE plpgsql AS $function$
        BEGIN
            PERFORM \(CommitProcedure.lock);
            UPDATE dead_letter SET correction = p_correction WHERE id = p_id;
            RETURN replay_dead_letters(ARRAY[p_id]) = 1;
        END $function$
        """,
        """
        CREATE OR REPLACE FUNCTION discard_dead_letters(p_ids bigint[]) RETURNS bigint LANGUAGE plpgsql AS $function$
        DECLARE
            v_count bigint;
        BEGIN
            PERFORM \(CommitProcedure.lock);
            DELETE FROM scheduled_message USING dead_letter
            WHERE dead_letter.id = ANY (p_ids) AND dead_letter.position < 0 AND number = -dead_letter.position;
            DELETE FROM dead_letter WHERE id = ANY (p_ids);
            GET DIAGNOSTICS v_count = ROW_COUNT;
            RETURN v_count;
        END $function$
        """,
        """
        CREATE OR REPLACE FUNCTION prune(p_records_before bigint, p_events_before bigint, p_limit bigint) RETURNS bigint
        LANGUAGE plpgsql AS $function$
        DECLARE
            v_records bigint := 0;
            v_events bigint := 0;
        BEGIN
            PERFORM \(CommitProcedure.lock);
            IF p_records_before IS NOT NULL THEN
                DELETE FROM idempotency WHERE key IN (
                    SELECT key FROM idempotency WHERE date < p_records_before ORDER BY date LIMIT p_limit
                );
                GET DIAGNOSTICS v_records = ROW_COUNT;
            END IF;
            IF p_events_before IS NOT NULL THEN
                DELETE FROM event WHERE position IN (
                    SELECT position FROM event WHERE recorded_at < p_events_before
                        AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.position = event.position)
                        AND NOT EXISTS (SELECT 1 FROM dead_letter WHERE dead_letter.position = event.position)
                    ORDER BY position LIMIT p_limit - v_records
                );
                GET DIAGNOSTICS v_events = ROW_COUNT;
            END IF;
            RETURN v_records + v_events;
        END $function$
        """,
    ]

    /// The subscription for scheduled messages.
    static let scheduled = ScheduledMessage.subscription
}

/// The functions for operators; each takes the store's lock.
enum OperatorProcedures {
    static let statements = [
        // Takes the lock, so that no lease of the subscription is granted once a pause has returned.
        """
        CREATE OR REPLACE FUNCTION set_pause(p_name bytea, p_since bigint) RETURNS boolean LANGUAGE plpgsql AS $function$
        BEGIN
            PERFORM \(CommitProcedure.lock);
            UPDATE subscription SET paused_at = CASE WHEN p_since IS NOT NULL THEN coalesce(paused_at, p_since) END
            WHERE name = p_name;
            RETURN FOUND;
        END $function$
        """,
        """
        CREATE OR REPLACE FUNCTION retry_deliveries(p_lanes bigint[], p_positions bigint[], p_now bigint) RETURNS bigint
        LANGUAGE plpgsql AS $function$
        DECLARE
            v_count bigint;
        BEGIN
            PERFORM \(CommitProcedure.lock);
            UPDATE lane SET ready_at = greatest(1, p_now), since = p_now
            FROM (SELECT DISTINCT * FROM unnest(p_lanes, p_positions) d (lane, position)) wanted
            WHERE lane.id = wanted.lane AND lane.ready_at > p_now
                AND wanted.position = (SELECT min(delivery.position) FROM delivery WHERE delivery.lane = lane.id)
                AND (lane.token = 0 OR wanted.position > lane.begun)
                AND (wanted.position > 0 OR lane.token > 0 OR lane.unknown_name IS NOT NULL);
            GET DIAGNOSTICS v_count = ROW_COUNT;
            RETURN v_count;
        END $function$
        """,
        """
        CREATE OR REPLACE FUNCTION cancel_deliveries(
            p_lanes bigint[], p_positions bigint[], p_reason bytea, p_now bigint
        ) RETURNS bigint LANGUAGE plpgsql AS $function$
        DECLARE
            v_count bigint := 0;
            v_place record;
            v_head bigint;
            v_is_leased boolean;
        BEGIN
            PERFORM \(CommitProcedure.lock);
            FOR v_number IN 1..cardinality(p_lanes) LOOP
                v_head := (SELECT min(position) FROM delivery WHERE lane = p_lanes[v_number]);
                SELECT lane.*, delivery.position, delivery.is_replay INTO v_place
                FROM lane JOIN delivery ON delivery.lane = lane.id
                WHERE lane.id = p_lanes[v_number] AND delivery.position = p_positions[v_number];
                CONTINUE WHEN NOT FOUND;
                v_is_leased := v_place.ready_at > p_now AND v_place.token > 0 AND v_head <= v_place.begun;
                CONTINUE WHEN v_is_leased AND v_place.position <= v_place.begun;
                INSERT INTO dead_letter (subscription, position, is_replay, attempts, reason, date, correction)
                VALUES (
                    v_place.subscription, v_place.position, v_place.is_replay,
                    CASE WHEN v_place.position = v_head THEN v_place.attempts ELSE 0 END, p_reason, p_now,
                    v_place.correction
                );
                DELETE FROM delivery WHERE lane = v_place.id AND position = v_place.position;
                DELETE FROM lane WHERE id = v_place.id
                    AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.lane = v_place.id);
                -- Behind a running delivery, the lease stays valid.
                IF NOT v_is_leased THEN UPDATE lane SET token = token + 1 WHERE id = v_place.id; END IF;
                IF v_place.position = v_head THEN
                    UPDATE lane SET attempts = 0, last_failure = NULL, unknown_name = NULL, unknown_version = NULL,
                        unknown_since = NULL, since = CASE WHEN ready_at > p_now THEN p_now ELSE since END,
                        ready_at = CASE WHEN ready_at > p_now THEN greatest(1, p_now) ELSE ready_at END
                    WHERE id = v_place.id;
                END IF;
                v_count := v_count + 1;
            END LOOP;
            RETURN v_count;
        END $function$
        """,
    ]
}
#endif
