--
-- PostgreSQL database dump
--

\restrict nlu6Y1VV63m80VDeTEfrKBQltISHNEgf9FImW4TbEX3iEDPZuFag15O4mseRLqT

-- Dumped from database version 15.20 (Debian 15.20-0+deb12u1)
-- Dumped by pg_dump version 15.20 (Debian 15.20-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: headrace; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA headrace;


--
-- Name: cancel(uuid[]); Type: FUNCTION; Schema: headrace; Owner: -
--

CREATE FUNCTION headrace.cancel(p_ids uuid[]) RETURNS void
    LANGUAGE sql
    AS $$
    DELETE FROM delivery USING scheduled_message message
    WHERE message.id = ANY (p_ids) AND delivery.lane = message.lane;
    DELETE FROM lane USING scheduled_message message WHERE message.id = ANY (p_ids) AND lane.id = message.lane;
    DELETE FROM dead_letter USING scheduled_message message
    WHERE message.id = ANY (p_ids) AND dead_letter.position = -message.number;
    DELETE FROM scheduled_message WHERE id = ANY (p_ids);
$$;


--
-- Name: commit_batch(uuid, uuid, bigint, boolean, boolean, bigint[], bytea[], text[], text[], bigint[], bigint[], bigint[], bytea[], bigint[], bigint[], text[], bigint[], bigint[], bytea[], bigint[], bigint[], bigint[], bytea[], bigint[], bigint[], text[], bigint[], bigint[], bytea[], bytea[], bigint[], bigint[], bytea[], bytea[], bigint[], bigint[], uuid[], bytea[], bigint[], bytea[], bytea[], bigint[], text[], text[], bigint[], bytea[], bigint[], uuid[], text[], bytea[], bigint[], bytea[], bytea[], bigint[], text[], text[], bigint[], uuid[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bytea[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bytea[], bigint[], text); Type: PROCEDURE; Schema: headrace; Owner: -
--

CREATE PROCEDURE headrace.commit_batch(IN p_batch uuid, IN p_writer uuid, IN p_generation bigint, IN p_is_durable boolean, IN p_prunes boolean, IN k_unit bigint[], IN k_key bytea[], IN k_command text[], IN k_outcome text[], IN k_date bigint[], IN r_unit bigint[], IN r_kind bigint[], IN r_key bytea[], IN r_version bigint[], IN r_schema bigint[], IN r_document text[], IN x_unit bigint[], IN x_kind bigint[], IN x_key bytea[], IN x_version bigint[], IN w_unit bigint[], IN w_kind bigint[], IN w_key bytea[], IN w_version bigint[], IN w_schema bigint[], IN w_document text[], IN o_unit bigint[], IN o_index bigint[], IN o_value bytea[], IN o_key bytea[], IN i_unit bigint[], IN i_index bigint[], IN i_value bytea[], IN i_key bytea[], IN i_unique bigint[], IN e_unit bigint[], IN e_id uuid[], IN e_name bytea[], IN e_version bigint[], IN e_kind bytea[], IN e_key bytea[], IN e_date bigint[], IN e_document text[], IN e_origin text[], IN d_event bigint[], IN d_subscription bytea[], IN m_unit bigint[], IN m_id uuid[], IN m_type text[], IN m_name bytea[], IN m_version bigint[], IN m_kind bytea[], IN m_key bytea[], IN m_due bigint[], IN m_document text[], IN m_origin text[], IN c_unit bigint[], IN c_id uuid[], IN s_unit bigint[], IN s_lane bigint[], IN s_token bigint[], IN s_round bigint[], IN s_attempts bigint[], IN s_end bigint[], IN s_ready bigint[], IN s_since bigint[], IN s_name bytea[], IN s_version bigint[], IN s_unknown bigint[], IN a_settlement bigint[], IN a_position bigint[], IN f_settlement bigint[], IN f_position bigint[], IN f_attempts bigint[], IN f_reason bytea[], IN f_date bigint[], INOUT p_refusals text)
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
DECLARE
    v_refused bigint[];
    v_count bigint;
    v_first bigint;
    v_positions bigint[];
    v_valid bigint[];
    v_lost bigint[];
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM pg_advisory_xact_lock(hashtextextended('headrace ' || current_schema(), 0));
    IF (SELECT generation FROM store) <> p_generation THEN
        RAISE EXCEPTION 'the schema has changed' USING ERRCODE = 'HR001';
    END IF;
    SELECT coalesce(jsonb_agg(jsonb_build_array(unit, cause, item, stored, encode(other, 'hex'))), '[]')::text,
        coalesce(array_agg(unit), '{}')
    INTO p_refusals, v_refused
    FROM (
        SELECT DISTINCT ON (unit) unit, cause, item, stored, other FROM (
            SELECT k.unit, 1 AS cause, k.n AS item, NULL::bigint AS stored, NULL::bytea AS other
            FROM unnest(k_unit, k_key) WITH ORDINALITY k (unit, key, n)
            JOIN idempotency ON idempotency.key = k.key
            UNION ALL
            SELECT k.unit, 1, k.n, NULL, NULL FROM (
                SELECT unit, n, row_number() OVER (PARTITION BY unit, key ORDER BY n) AS number
                FROM unnest(k_unit, k_key) WITH ORDINALITY k (unit, key, n)
            ) k WHERE k.number > 1
            UNION ALL
            SELECT r.unit, 2, r.n, entity.version, NULL
            FROM unnest(r_unit, r_kind, r_key, r_version, r_schema, r_document)
                WITH ORDINALITY r (unit, kind, key, version, schema, document, n)
            LEFT JOIN entity ON entity.kind = r.kind AND entity.key = r.key
            WHERE entity.version IS DISTINCT FROM r.version
                OR entity.schema_version IS DISTINCT FROM r.schema
                OR convert_to(entity.document, 'UTF8') IS DISTINCT FROM convert_to(r.document, 'UTF8')
            UNION ALL
            SELECT x.unit, 3, x.n, entity.version, NULL
            FROM unnest(x_unit, x_kind, x_key, x_version) WITH ORDINALITY x (unit, kind, key, version, n)
            LEFT JOIN entity ON entity.kind = x.kind AND entity.key = x.key
            WHERE entity.version IS DISTINCT FROM x.version
            UNION ALL
            SELECT w.unit, 4, w.n, entity.version, NULL
            FROM unnest(w_unit, w_kind, w_key, w_version) WITH ORDINALITY w (unit, kind, key, version, n)
            LEFT JOIN entity ON entity.kind = w.kind AND entity.key = w.key
            WHERE coalesce(entity.version, 0) <> w.version - 1
            UNION ALL
            SELECT i.unit, 5, i.n, NULL, index_entry.key
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
            UNION ALL
            SELECT s.unit, 6, s.n, NULL, NULL
            FROM unnest(s_unit, s_lane, s_token, s_round) WITH ORDINALITY s (unit, lane, token, round, n)
            WHERE s.round = 0
                AND NOT EXISTS (SELECT 1 FROM lane WHERE lane.id = s.lane AND lane.token = s.token)
        ) refusal ORDER BY unit, cause, item
    ) refusal;
    INSERT INTO idempotency (key, command, outcome, date)
    SELECT k.key, k.command, k.outcome, k.date
    FROM unnest(k_unit, k_key, k_command, k_outcome, k_date) k (unit, key, command, outcome, date)
    WHERE k.unit <> ALL (v_refused);

    DELETE FROM entity USING unnest(x_unit, x_kind, x_key) x (unit, kind, key)
    WHERE entity.kind = x.kind AND entity.key = x.key AND x.unit <> ALL (v_refused);

    UPDATE entity SET version = w.version, schema_version = w.schema, document = w.document
    FROM unnest(w_unit, w_kind, w_key, w_version, w_schema, w_document)
        w (unit, kind, key, version, schema, document)
    WHERE entity.kind = w.kind AND entity.key = w.key AND w.version > 1 AND w.unit <> ALL (v_refused);

    INSERT INTO entity (kind, key, version, schema_version, document)
    SELECT w.kind, w.key, w.version, w.schema, w.document
    FROM unnest(w_unit, w_kind, w_key, w_version, w_schema, w_document)
        w (unit, kind, key, version, schema, document)
    WHERE w.version = 1 AND w.unit <> ALL (v_refused);

    DELETE FROM index_entry USING unnest(o_unit, o_index, o_value, o_key) o (unit, index, value, key)
    WHERE index_entry.index_id = o.index AND index_entry.value = o.value AND index_entry.key = o.key
        AND o.unit <> ALL (v_refused);

    INSERT INTO index_entry (index_id, value, key)
    SELECT i.index, i.value, i.key FROM unnest(i_unit, i_index, i_value, i_key) i (unit, index, value, key)
    WHERE i.unit <> ALL (v_refused)
    ON CONFLICT DO NOTHING;

    IF cardinality(s_unit) > 0 THEN
        v_valid := ARRAY(
            SELECT n FROM unnest(s_unit) WITH ORDINALITY s (unit, n) WHERE unit <> ALL (v_refused) ORDER BY n
        );
        v_lost := settle(v_valid, s_lane, s_token, s_round, s_attempts, s_end, s_ready, s_since, s_name, s_version, s_unknown, a_settlement, a_position, f_settlement, f_position, f_attempts, f_reason, f_date);
        IF cardinality(v_lost) > 0 THEN
            RAISE EXCEPTION 'a lease has ended' USING ERRCODE = 'HR002', DETAIL = v_lost[1];
        END IF;
    END IF;

    SELECT count(*) INTO v_count FROM unnest(e_unit) unit WHERE unit <> ALL (v_refused);
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
            PERFORM deliver(positions, subscriptions, kinds, keys, false) FROM (
                SELECT array_agg(v_positions[d.event] ORDER BY d.n) AS positions,
                    array_agg(d.subscription ORDER BY d.n) AS subscriptions,
                    array_agg(e_kind[d.event] ORDER BY d.n) AS kinds,
                    array_agg(e_key[d.event] ORDER BY d.n) AS keys
                FROM unnest(d_event, d_subscription) WITH ORDINALITY d (event, subscription, n)
                WHERE v_positions[d.event] IS NOT NULL
            ) d WHERE positions IS NOT NULL;
        END IF;
    END IF;

    IF cardinality(m_unit) > 0 THEN
        PERFORM schedule(v_refused, m_unit, m_id, m_type, m_name, m_version, m_kind, m_key, m_due, m_document,
            m_origin);
    END IF;
    IF cardinality(c_unit) > 0 THEN
        PERFORM cancel(ARRAY(SELECT c.id FROM unnest(c_unit, c_id) c (unit, id) WHERE c.unit <> ALL (v_refused)));
    END IF;
    INSERT INTO outcome (batch, writer, refusals) VALUES (p_batch, p_writer, p_refusals);
    IF p_prunes THEN
        DELETE FROM outcome WHERE at < clock_timestamp() - interval '1 hour';
    END IF;
    COMMIT;
    IF p_is_durable THEN
        PERFORM pg_logical_emit_message(true, 'headrace', '');
    END IF;
END $$;


--
-- Name: deliver(bigint[], bytea[], bytea[], bytea[], boolean); Type: FUNCTION; Schema: headrace; Owner: -
--

CREATE FUNCTION headrace.deliver(p_positions bigint[], p_subscriptions bytea[], p_kinds bytea[], p_keys bytea[], p_is_replay boolean) RETURNS void
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO subscription (name)
    SELECT DISTINCT s.name FROM unnest(p_subscriptions) s (name)
    WHERE NOT EXISTS (SELECT 1 FROM subscription WHERE subscription.name = s.name);

    WITH wanted AS MATERIALIZED (
        SELECT d.position, subscription.id AS subscription, d.kind, d.key, d.n,
            dense_rank() OVER (
                ORDER BY subscription.id, d.kind, d.key, CASE WHEN d.kind IS NULL THEN d.n END
            ) AS number
        FROM unnest(p_positions, p_subscriptions, p_kinds, p_keys)
            WITH ORDINALITY d (position, subscription, kind, key, n)
        JOIN subscription ON subscription.name = d.subscription
    ), place AS MATERIALIZED (
        SELECT DISTINCT ON (number) wanted.*, lane.id AS lane
        FROM wanted
        LEFT JOIN lane ON lane.subscription = wanted.subscription
            AND lane.stream_kind = wanted.kind AND lane.stream_key = wanted.key
        ORDER BY number, n
    ), missing AS MATERIALIZED (
        SELECT nextval('lane_id') AS lane, ordered.*
        FROM (SELECT number, subscription, kind, key FROM place WHERE lane IS NULL ORDER BY n) ordered
    ), made AS (
        INSERT INTO lane (id, subscription, stream_kind, stream_key, ready_at)
        SELECT missing.lane, missing.subscription, missing.kind, missing.key, 0 FROM missing
    )
    INSERT INTO delivery (lane, position, is_replay)
    SELECT coalesce(place.lane, missing.lane), wanted.position, p_is_replay
    FROM wanted JOIN place USING (number) LEFT JOIN missing USING (number)
    ON CONFLICT DO NOTHING;
END $$;


--
-- Name: discard_dead_letters(bigint[]); Type: FUNCTION; Schema: headrace; Owner: -
--

CREATE FUNCTION headrace.discard_dead_letters(p_ids bigint[]) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_count bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('headrace ' || current_schema(), 0));
    DELETE FROM scheduled_message USING dead_letter
    WHERE dead_letter.id = ANY (p_ids) AND dead_letter.position < 0 AND number = -dead_letter.position;
    DELETE FROM dead_letter WHERE id = ANY (p_ids);
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END $$;


--
-- Name: due_lanes(bigint, bigint, bigint, bigint, bigint[], bigint[], bytea[], bigint[], bigint[]); Type: FUNCTION; Schema: headrace; Owner: -
--

CREATE FUNCTION headrace.due_lanes(p_subscription bigint, p_number bigint, p_limit bigint, p_now bigint, p_taken bigint[], p_known_subscription bigint[], p_known_name bytea[], p_known_low bigint[], p_known_high bigint[]) RETURNS bigint[]
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_left bigint[];
    v_waited bigint[];
    v_first bigint[];
    v_fresh bigint[];
    v_half bigint := (p_limit + 1) / 2;
BEGIN
    v_left := ARRAY(
        SELECT lane.id FROM lane
        WHERE lane.subscription = p_subscription AND lane.unknown_name IS NOT NULL AND lane.id <> ALL (p_taken)
            AND EXISTS (
                SELECT 1 FROM unnest(p_known_subscription, p_known_name, p_known_low, p_known_high)
                    known (subscription, name, low, high)
                WHERE known.subscription = p_number AND known.name = lane.unknown_name
                    AND lane.unknown_version BETWEEN known.low AND known.high
            )
        ORDER BY lane.id LIMIT p_limit
    );
    v_waited := v_left || ARRAY(
        SELECT lane.id FROM lane
        WHERE lane.subscription = p_subscription AND lane.ready_at BETWEEN 1 AND p_now
            AND lane.id <> ALL (v_left || p_taken)
        ORDER BY lane.ready_at, lane.id LIMIT p_limit
    );
    v_first := v_waited[1:v_half];
    v_fresh := ARRAY(
        SELECT lane.id FROM lane
        WHERE lane.subscription = p_subscription AND lane.ready_at = 0
            AND lane.id <> ALL (v_first || p_taken)
        ORDER BY lane.id LIMIT p_limit - cardinality(v_first)
    );
    RETURN (v_first || v_fresh || v_waited[v_half + 1:])[1:p_limit];
END $$;


--
-- Name: lease(bytea[], bigint, bigint, bigint, bigint, bigint, boolean, bigint[], bytea[], bigint[], bigint[]); Type: FUNCTION; Schema: headrace; Owner: -
--

CREATE FUNCTION headrace.lease(p_subscriptions bytea[], p_lane_limit bigint, p_batch_limit bigint, p_now bigint, p_until bigint, p_latest_clock bigint, p_checks_clocks boolean, p_known_subscription bigint[], p_known_name bytea[], p_known_low bigint[], p_known_high bigint[]) RETURNS TABLE(o_lane bigint, o_token bigint, o_subscription bigint, o_attempts bigint, o_may_have_run boolean, o_unknown_since bigint, o_place bigint, o_is_replay boolean, e_position bigint, e_id uuid, e_name bytea, e_version bigint, e_kind bytea, e_key bytea, e_date bigint, e_document text, e_origin text, m_number bigint, m_id uuid, m_type text, m_name bytea, m_version bigint, m_kind bytea, m_key bytea, m_due bigint, m_document text, m_origin text)
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
DECLARE
    v_ids bigint[] := ARRAY(
        SELECT coalesce(subscription.id, 0) FROM unnest(p_subscriptions) WITH ORDINALITY wanted (name, n)
        LEFT JOIN subscription ON subscription.name = wanted.name ORDER BY wanted.n
    );
    v_share bigint;
    v_limit bigint;
    v_room bigint;
    v_found bigint[];
    v_taken bigint[] := '{}';
BEGIN
    -- Most requests find nothing, so they don't take the lock.
    IF NOT EXISTS (
        SELECT 1 FROM lane
        WHERE lane.subscription = ANY (v_ids) AND (
            lane.ready_at <= p_now OR lane.unknown_name IS NOT NULL
            OR p_checks_clocks AND lane.since > p_latest_clock
        )
    ) THEN RETURN; END IF;
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM pg_advisory_xact_lock(hashtextextended('headrace ' || current_schema(), 0));
    IF p_checks_clocks THEN
        UPDATE lane SET ready_at = p_now + greatest(0, lane.ready_at - lane.since), since = p_now
        WHERE lane.subscription = ANY (v_ids) AND lane.ready_at > p_now AND lane.since > p_latest_clock;
    END IF;
    -- First an equal share for each subscription, then what is left.
    v_share := (SELECT greatest(1, p_lane_limit / greatest(1, count(*))) FROM unnest(v_ids) id WHERE id > 0);
    FOREACH v_limit IN ARRAY ARRAY[v_share, p_lane_limit] LOOP
        FOR v_number IN 1..cardinality(v_ids) LOOP
            v_room := least(v_limit, p_lane_limit - cardinality(v_taken));
            IF v_room <= 0 THEN EXIT; END IF;
            v_found := due_lanes(
                v_ids[v_number], v_number, v_room, p_now, v_taken,
                p_known_subscription, p_known_name, p_known_low, p_known_high
            );
            DELETE FROM lane WHERE lane.id = ANY (v_found)
                AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.lane = lane.id);
            v_taken := v_taken || ARRAY(
                SELECT found.id FROM unnest(v_found) WITH ORDINALITY found (id, n)
                JOIN lane ON lane.id = found.id ORDER BY found.n
            );
        END LOOP;
    END LOOP;
    RETURN QUERY
    WITH chosen AS MATERIALIZED (
        SELECT lane.*, taken.n, coalesce(
            lane.token > 0
                AND (SELECT min(delivery.position) FROM delivery WHERE delivery.lane = lane.id) <= lane.begun,
            false
        ) AS may_have_run
        FROM unnest(v_taken) WITH ORDINALITY taken (id, n) JOIN lane ON lane.id = taken.id
    ), run AS MATERIALIZED (
        SELECT chosen.*, head.position AS place, head.is_replay FROM chosen CROSS JOIN LATERAL (
            SELECT delivery.position, delivery.is_replay FROM delivery WHERE delivery.lane = chosen.id
            ORDER BY delivery.position
            LIMIT CASE WHEN chosen.may_have_run OR chosen.attempts > 0 THEN 1 ELSE greatest(1, p_batch_limit) END
        ) head
    ), leased AS (
        UPDATE lane SET token = lane.token + 1, begun = greatest(lane.begun, last.place), ready_at = p_until,
            since = p_now, unknown_name = NULL, unknown_version = NULL
        FROM (SELECT run.id, max(run.place) AS place FROM run GROUP BY run.id) last WHERE lane.id = last.id
    )
    SELECT run.id, run.token + 1, array_position(v_ids, run.subscription)::bigint, run.attempts,
        run.may_have_run, run.unknown_since, run.place, run.is_replay, event.position, event.id, event.name, event.version, event.stream_kind, event.stream_key, event.recorded_at,
event.document, event.origin, message.number, message.id, message.kind, message.name, message.version, message.stream_kind,
message.stream_key, message.due_at, message.document, message.origin
    FROM run
    LEFT JOIN event ON event.position = run.place
    LEFT JOIN scheduled_message message ON message.number = -run.place
    ORDER BY run.n, run.place;
END $$;


--
-- Name: prune(bigint, bigint, bigint); Type: FUNCTION; Schema: headrace; Owner: -
--

CREATE FUNCTION headrace.prune(p_records_before bigint, p_events_before bigint, p_limit bigint) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    v_records bigint := 0;
    v_events bigint := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('headrace ' || current_schema(), 0));
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
END $$;


--
-- Name: renew(bigint[], bigint[], bigint); Type: FUNCTION; Schema: headrace; Owner: -
--

CREATE FUNCTION headrace.renew(p_lanes bigint[], p_tokens bigint[], p_ready bigint) RETURNS bigint[]
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM pg_advisory_xact_lock(hashtextextended('headrace ' || current_schema(), 0));
    UPDATE lane SET since = p_ready - (ready_at - since), ready_at = p_ready
    FROM unnest(p_lanes, p_tokens) lease (lane, token)
    WHERE lane.id = lease.lane AND lane.token = lease.token;
    RETURN ARRAY(
        SELECT n FROM unnest(p_lanes, p_tokens) WITH ORDINALITY lease (lane, token, n)
        WHERE NOT EXISTS (SELECT 1 FROM lane WHERE lane.id = lease.lane AND lane.token = lease.token)
        ORDER BY n
    );
END $$;


--
-- Name: replay(bytea, bytea[], bigint); Type: FUNCTION; Schema: headrace; Owner: -
--

CREATE FUNCTION headrace.replay(p_name bytea, p_events bytea[], p_after bigint) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
DECLARE
    v_subscription bigint;
    v_positions bigint[];
    v_kinds bytea[];
    v_keys bytea[];
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('headrace ' || current_schema(), 0));
    INSERT INTO subscription (name)
    SELECT p_name WHERE NOT EXISTS (SELECT 1 FROM subscription WHERE name = p_name);
    SELECT id INTO v_subscription FROM subscription WHERE name = p_name;
    UPDATE lane SET token = token + 1, attempts = 0, begun = 0, ready_at = 0, since = NULL,
        unknown_name = NULL, unknown_version = NULL, unknown_since = NULL
    WHERE subscription = v_subscription;
    SELECT array_agg(position ORDER BY position), array_agg(stream_kind ORDER BY position),
        array_agg(stream_key ORDER BY position)
    INTO v_positions, v_kinds, v_keys
    FROM event
    WHERE position > p_after AND name = ANY (p_events) AND NOT EXISTS (
        SELECT 1 FROM delivery JOIN lane ON lane.id = delivery.lane
        WHERE delivery.position = event.position AND lane.subscription = v_subscription
    );
    IF v_positions IS NULL THEN RETURN 0; END IF;
    PERFORM deliver(v_positions, array_fill(p_name, ARRAY[cardinality(v_positions)]), v_kinds, v_keys, true);
    RETURN cardinality(v_positions);
END $$;


--
-- Name: replay_dead_letters(bigint[]); Type: FUNCTION; Schema: headrace; Owner: -
--

CREATE FUNCTION headrace.replay_dead_letters(p_ids bigint[]) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
DECLARE
    v_count bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('headrace ' || current_schema(), 0));
    WITH letter AS MATERIALIZED (
        SELECT nextval('lane_id') AS lane, ordered.* FROM (
            SELECT dead_letter.* FROM dead_letter
            JOIN (SELECT id, min(n) AS n FROM unnest(p_ids) WITH ORDINALITY w (id, n) GROUP BY id) wanted
                ON wanted.id = dead_letter.id
            ORDER BY wanted.n
        ) ordered
    ), made AS (
        INSERT INTO lane (id, subscription, ready_at) SELECT lane, subscription, 0 FROM letter
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
END $$;


--
-- Name: schedule(bigint[], bigint[], uuid[], text[], bytea[], bigint[], bytea[], bytea[], bigint[], text[], text[]); Type: FUNCTION; Schema: headrace; Owner: -
--

CREATE FUNCTION headrace.schedule(p_refused bigint[], m_unit bigint[], m_id uuid[], m_type text[], m_name bytea[], m_version bigint[], m_kind bytea[], m_key bytea[], m_due bigint[], m_document text[], m_origin text[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO subscription (name)
    SELECT 'headrace.scheduled'::bytea WHERE EXISTS (SELECT 1 FROM unnest(m_unit) unit WHERE unit <> ALL (p_refused))
        AND NOT EXISTS (SELECT 1 FROM subscription WHERE subscription.name = 'headrace.scheduled');

    WITH message AS MATERIALIZED (
        SELECT nextval('message_number') AS number, nextval('lane_id') AS lane, ordered.* FROM (
            SELECT * FROM unnest(m_unit, m_id, m_type, m_name, m_version, m_kind, m_key, m_due, m_document, m_origin)
                WITH ORDINALITY m (unit, id, type, name, version, kind, key, due, document, origin, n)
            WHERE m.unit <> ALL (p_refused) ORDER BY n
        ) ordered
    ), made AS (
        INSERT INTO lane (id, subscription, ready_at)
        SELECT message.lane, subscription.id, greatest(1, message.due)
        FROM message, subscription WHERE subscription.name = 'headrace.scheduled'
    ), stored AS (
        INSERT INTO scheduled_message (
            number, id, kind, name, version, stream_kind, stream_key, due_at, document, origin, lane
        )
        SELECT number, id, type, name, version, kind, key, due, document, origin, lane FROM message
    )
    INSERT INTO delivery (lane, position, is_replay) SELECT lane, -number, false FROM message;
END $$;


--
-- Name: settle(bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bytea[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bytea[], bigint[]); Type: FUNCTION; Schema: headrace; Owner: -
--

CREATE FUNCTION headrace.settle(p_chosen bigint[], s_lane bigint[], s_token bigint[], s_round bigint[], s_attempts bigint[], s_end bigint[], s_ready bigint[], s_since bigint[], s_name bytea[], s_version bigint[], s_unknown bigint[], a_settlement bigint[], a_position bigint[], f_settlement bigint[], f_position bigint[], f_attempts bigint[], f_reason bytea[], f_date bigint[]) RETURNS bigint[]
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
DECLARE
    v_refused bigint[] := '{}';
    v_valid bigint[];
BEGIN
    FOR v_round IN 0..coalesce((SELECT max(round) FROM unnest(s_round) round), -1) LOOP
        v_valid := ARRAY(
            SELECT s.n FROM unnest(s_lane, s_token, s_round) WITH ORDINALITY s (lane, token, round, n)
            JOIN lane ON lane.id = s.lane AND lane.token = s.token
            WHERE s.round = v_round AND s.n = ANY (p_chosen)
        );
        v_refused := v_refused || ARRAY(
            SELECT s.n FROM unnest(s_round) WITH ORDINALITY s (round, n)
            WHERE s.round = v_round AND s.n = ANY (p_chosen) AND s.n <> ALL (v_valid) ORDER BY s.n
        );
        DELETE FROM scheduled_message USING unnest(a_settlement, a_position) a (settlement, position)
        WHERE number = -a.position AND a.position < 0 AND a.settlement = ANY (v_valid);

        INSERT INTO dead_letter (subscription, position, is_replay, attempts, reason, date)
        SELECT lane.subscription, delivery.position, delivery.is_replay, f.attempts, f.reason, f.date
        FROM unnest(f_settlement, f_position, f_attempts, f_reason, f_date)
            WITH ORDINALITY f (settlement, position, attempts, reason, date, n)
        JOIN delivery ON delivery.lane = s_lane[f.settlement] AND delivery.position = f.position
        JOIN lane ON lane.id = delivery.lane
        WHERE f.settlement = ANY (v_valid) ORDER BY f.n;

        DELETE FROM delivery USING (
            SELECT * FROM unnest(a_settlement, a_position)
            UNION ALL SELECT * FROM unnest(f_settlement, f_position)
        ) gone (settlement, position)
        WHERE delivery.lane = s_lane[gone.settlement] AND delivery.position = gone.position
            AND gone.settlement = ANY (v_valid);

        DELETE FROM lane USING unnest(s_lane, s_end) WITH ORDINALITY s (lane, ending, n)
        WHERE lane.id = s.lane AND s.n = ANY (v_valid) AND s.ending > 0
            AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.lane = lane.id);

        UPDATE lane SET
            attempts = CASE
                WHEN s.head IS NULL THEN 0
                WHEN s.attempts IS NOT NULL THEN greatest(s.attempts, 0)
                WHEN s.is_removing THEN 0
                ELSE lane.attempts
            END,
            token = lane.token + CASE WHEN s.ending > 0 THEN 1 ELSE 0 END,
            begun = CASE WHEN s.ending > 1 THEN s.head - 1 ELSE lane.begun END,
            ready_at = CASE WHEN s.ending > 0 THEN greatest(1, s.ready) ELSE lane.ready_at END,
            since = CASE WHEN s.ending > 0 THEN coalesce(s.since, lane.since) ELSE lane.since END,
            unknown_name = CASE WHEN s.ending = 4 THEN s.name ELSE lane.unknown_name END,
            unknown_version = CASE WHEN s.ending = 4 THEN s.version ELSE lane.unknown_version END,
            unknown_since = CASE
                WHEN s.ending = 4 THEN s.unknown
                WHEN s.is_removing THEN NULL
                ELSE lane.unknown_since
            END
        FROM (
            SELECT s.*, s.n = ANY (a_settlement) OR s.n = ANY (f_settlement) AS is_removing,
                (SELECT min(position) FROM delivery WHERE delivery.lane = s.lane) AS head
            FROM unnest(s_lane, s_attempts, s_end, s_ready, s_since, s_name, s_version, s_unknown)
                WITH ORDINALITY s (lane, attempts, ending, ready, since, name, version, unknown, n)
            WHERE s.n = ANY (v_valid)
        ) s WHERE lane.id = s.lane;
    END LOOP;
    RETURN v_refused;
END $$;


--
-- Name: settle_alone(bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bytea[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bytea[], bigint[]); Type: FUNCTION; Schema: headrace; Owner: -
--

CREATE FUNCTION headrace.settle_alone(p_chosen bigint[], s_lane bigint[], s_token bigint[], s_round bigint[], s_attempts bigint[], s_end bigint[], s_ready bigint[], s_since bigint[], s_name bytea[], s_version bigint[], s_unknown bigint[], a_settlement bigint[], a_position bigint[], f_settlement bigint[], f_position bigint[], f_attempts bigint[], f_reason bytea[], f_date bigint[]) RETURNS bigint[]
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM pg_advisory_xact_lock(hashtextextended('headrace ' || current_schema(), 0));
    RETURN settle(p_chosen, s_lane, s_token, s_round, s_attempts, s_end, s_ready, s_since, s_name, s_version, s_unknown, a_settlement, a_position, f_settlement, f_position, f_attempts, f_reason, f_date);
END $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: dead_letter; Type: TABLE; Schema: headrace; Owner: -
--

CREATE TABLE headrace.dead_letter (
    id bigint NOT NULL,
    subscription bigint NOT NULL,
    "position" bigint NOT NULL,
    is_replay boolean NOT NULL,
    attempts bigint NOT NULL,
    reason bytea NOT NULL,
    date bigint NOT NULL
);


--
-- Name: dead_letter_id_seq; Type: SEQUENCE; Schema: headrace; Owner: -
--

ALTER TABLE headrace.dead_letter ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME headrace.dead_letter_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: delivery; Type: TABLE; Schema: headrace; Owner: -
--

CREATE TABLE headrace.delivery (
    lane bigint NOT NULL,
    "position" bigint NOT NULL,
    is_replay boolean NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_cost_delay='0');


--
-- Name: entity; Type: TABLE; Schema: headrace; Owner: -
--

CREATE TABLE headrace.entity (
    kind bigint NOT NULL,
    key bytea NOT NULL,
    version bigint NOT NULL,
    schema_version bigint NOT NULL,
    document text NOT NULL
)
WITH (fillfactor='80');


--
-- Name: entity_index; Type: TABLE; Schema: headrace; Owner: -
--

CREATE TABLE headrace.entity_index (
    id bigint NOT NULL,
    kind bigint NOT NULL,
    name bytea NOT NULL,
    is_unique boolean NOT NULL,
    holds_one_value boolean NOT NULL
);


--
-- Name: entity_index_id_seq; Type: SEQUENCE; Schema: headrace; Owner: -
--

ALTER TABLE headrace.entity_index ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME headrace.entity_index_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: entity_kind; Type: TABLE; Schema: headrace; Owner: -
--

CREATE TABLE headrace.entity_kind (
    id bigint NOT NULL,
    name bytea NOT NULL,
    schema_version bigint NOT NULL
);


--
-- Name: entity_kind_id_seq; Type: SEQUENCE; Schema: headrace; Owner: -
--

ALTER TABLE headrace.entity_kind ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME headrace.entity_kind_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: event; Type: TABLE; Schema: headrace; Owner: -
--

CREATE TABLE headrace.event (
    "position" bigint NOT NULL,
    id uuid NOT NULL,
    name bytea NOT NULL,
    version bigint NOT NULL,
    stream_kind bytea,
    stream_key bytea,
    recorded_at bigint NOT NULL,
    document text NOT NULL,
    origin text
);


--
-- Name: event_position; Type: SEQUENCE; Schema: headrace; Owner: -
--

CREATE SEQUENCE headrace.event_position
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: idempotency; Type: TABLE; Schema: headrace; Owner: -
--

CREATE TABLE headrace.idempotency (
    key bytea NOT NULL,
    command text NOT NULL,
    outcome text NOT NULL,
    date bigint NOT NULL
);


--
-- Name: index_entry; Type: TABLE; Schema: headrace; Owner: -
--

CREATE TABLE headrace.index_entry (
    index_id bigint NOT NULL,
    value bytea NOT NULL,
    key bytea NOT NULL
);


--
-- Name: lane; Type: TABLE; Schema: headrace; Owner: -
--

CREATE TABLE headrace.lane (
    id bigint NOT NULL,
    subscription bigint NOT NULL,
    stream_kind bytea,
    stream_key bytea,
    ready_at bigint NOT NULL,
    token bigint DEFAULT 0 NOT NULL,
    attempts bigint DEFAULT 0 NOT NULL,
    begun bigint DEFAULT 0 NOT NULL,
    since bigint,
    unknown_name bytea,
    unknown_version bigint,
    unknown_since bigint
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_cost_delay='0');


--
-- Name: lane_id; Type: SEQUENCE; Schema: headrace; Owner: -
--

CREATE SEQUENCE headrace.lane_id
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: message_number; Type: SEQUENCE; Schema: headrace; Owner: -
--

CREATE SEQUENCE headrace.message_number
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: outcome; Type: TABLE; Schema: headrace; Owner: -
--

CREATE TABLE headrace.outcome (
    batch uuid NOT NULL,
    number bigint NOT NULL,
    writer uuid NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    refusals text
);


--
-- Name: outcome_number_seq; Type: SEQUENCE; Schema: headrace; Owner: -
--

ALTER TABLE headrace.outcome ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME headrace.outcome_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: scheduled_message; Type: TABLE; Schema: headrace; Owner: -
--

CREATE TABLE headrace.scheduled_message (
    number bigint NOT NULL,
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
);


--
-- Name: store; Type: TABLE; Schema: headrace; Owner: -
--

CREATE TABLE headrace.store (
    one boolean NOT NULL,
    tables bigint NOT NULL,
    generation bigint NOT NULL,
    identifier uuid NOT NULL,
    CONSTRAINT store_one_check CHECK (one)
);


--
-- Name: subscription; Type: TABLE; Schema: headrace; Owner: -
--

CREATE TABLE headrace.subscription (
    id bigint NOT NULL,
    name bytea NOT NULL
);


--
-- Name: subscription_id_seq; Type: SEQUENCE; Schema: headrace; Owner: -
--

ALTER TABLE headrace.subscription ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME headrace.subscription_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Data for Name: dead_letter; Type: TABLE DATA; Schema: headrace; Owner: -
--



--
-- Data for Name: delivery; Type: TABLE DATA; Schema: headrace; Owner: -
--

INSERT INTO headrace.delivery VALUES (1, 1, false);
INSERT INTO headrace.delivery VALUES (2, 2, false);
INSERT INTO headrace.delivery VALUES (1, 21, false);
INSERT INTO headrace.delivery VALUES (2, 22, false);
INSERT INTO headrace.delivery VALUES (1, 41, false);
INSERT INTO headrace.delivery VALUES (2, 42, false);
INSERT INTO headrace.delivery VALUES (1, 61, false);
INSERT INTO headrace.delivery VALUES (2, 62, false);
INSERT INTO headrace.delivery VALUES (1, 81, false);
INSERT INTO headrace.delivery VALUES (2, 82, false);
INSERT INTO headrace.delivery VALUES (1, 101, false);
INSERT INTO headrace.delivery VALUES (2, 102, false);
INSERT INTO headrace.delivery VALUES (1, 121, false);
INSERT INTO headrace.delivery VALUES (2, 122, false);
INSERT INTO headrace.delivery VALUES (1, 141, false);
INSERT INTO headrace.delivery VALUES (2, 142, false);
INSERT INTO headrace.delivery VALUES (1, 161, false);
INSERT INTO headrace.delivery VALUES (2, 162, false);
INSERT INTO headrace.delivery VALUES (1, 181, false);
INSERT INTO headrace.delivery VALUES (2, 182, false);
INSERT INTO headrace.delivery VALUES (1, 201, false);
INSERT INTO headrace.delivery VALUES (2, 202, false);
INSERT INTO headrace.delivery VALUES (1, 221, false);
INSERT INTO headrace.delivery VALUES (2, 222, false);
INSERT INTO headrace.delivery VALUES (1, 241, false);
INSERT INTO headrace.delivery VALUES (2, 242, false);
INSERT INTO headrace.delivery VALUES (1, 261, false);
INSERT INTO headrace.delivery VALUES (2, 262, false);
INSERT INTO headrace.delivery VALUES (1, 281, false);
INSERT INTO headrace.delivery VALUES (2, 282, false);
INSERT INTO headrace.delivery VALUES (1, 301, false);
INSERT INTO headrace.delivery VALUES (2, 302, false);


--
-- Data for Name: entity; Type: TABLE DATA; Schema: headrace; Owner: -
--

INSERT INTO headrace.entity VALUES (1, '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d30', 16, 1, '{"id":"00000000","text":"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"}');
INSERT INTO headrace.entity VALUES (1, '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d31', 16, 1, '{"id":"00000000","text":"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"}');


--
-- Data for Name: entity_index; Type: TABLE DATA; Schema: headrace; Owner: -
--



--
-- Data for Name: entity_kind; Type: TABLE DATA; Schema: headrace; Owner: -
--

INSERT INTO headrace.entity_kind OVERRIDING SYSTEM VALUE VALUES (1, '\x6163636f756e74', 1);
INSERT INTO headrace.entity_kind OVERRIDING SYSTEM VALUE VALUES (2, '\x7772697474656e', 1);


--
-- Data for Name: event; Type: TABLE DATA; Schema: headrace; Owner: -
--

INSERT INTO headrace.event VALUES (1, '3d084d1e-5b5a-4695-bf13-edf6bb65975c', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d30', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (2, 'f9333629-f9f5-4fde-ac97-92827b71c88b', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d31', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (21, '3d6db1c8-9cf5-48ed-9c39-495904d9a83f', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d30', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (22, '085f4699-0caf-4b9e-9264-aff8652b5b04', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d31', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (41, 'c0320f64-e374-4782-bdd4-d236b147261a', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d30', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (42, '50b8d431-bd73-4763-b6fd-a46a0340e7f8', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d31', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (61, '993531f1-11d6-4247-aa49-815ff99671a4', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d30', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (62, 'b757fe2b-7598-4d1d-a3fd-ac10bd6a7737', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d31', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (81, '02771288-a3a6-4b90-9a28-ea181ded82dd', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d30', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (82, '215d4cbc-592a-4680-935d-febd1cdb5117', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d31', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (101, '6b13c1a6-e47e-4512-8eac-e5c9b68b58ec', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d30', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (102, 'bdd4601f-dae3-4316-86b2-75f89bd9703d', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d31', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (121, 'fac5f8e1-81ca-404e-a058-c064e2e8f4d7', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d30', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (122, '4a655693-1d4d-44dc-bb0e-6ab62e179461', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d31', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (141, '84a94bac-3da1-4680-8d55-4a17aa95055c', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d30', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (142, '31946447-ab76-4ae3-9d6e-72f05c3baab8', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d31', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (161, 'b620f8de-fabc-41ce-978b-c555851a4b51', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d30', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (162, 'b3d0dbe3-3825-4126-9187-15585d78c742', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d31', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (181, '2e5b3062-4951-44d6-b6dd-e20718ff5a02', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d30', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (182, '20d22c66-89ab-451f-9cd8-347549536825', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d31', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (201, '217e1b1b-3da3-4b0d-aead-6f5cc51e2ba1', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d30', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (202, '2e182eed-94dc-43c4-b19c-790c6aea1f19', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d31', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (221, '7a72f275-33d1-4abf-8815-d0afd1f03181', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d30', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (222, '3577296f-2008-4f06-8fe5-117adf3cde3e', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d31', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (241, '8e969762-3edb-4c60-8c2f-34fd0faa0034', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d30', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (242, 'cef848a4-7974-4a22-bce9-0e85ac42f461', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d31', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (261, '95f6993e-e6e6-4bdc-9d2e-5ad55a593018', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d30', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (262, '5a90e27b-548b-48c0-9750-e4632dc15c5d', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d31', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (281, '2a461273-cf8f-4cbe-ac2c-f86de7b90a2f', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d30', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (282, '3821f460-25e2-4c50-b150-676f765b1652', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d31', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (301, '5a228947-0fef-4ecd-a1e6-a30901a89a59', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d30', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);
INSERT INTO headrace.event VALUES (302, '47a041b4-78d5-4049-9b2f-eaef2749dd57', '\x706c61636564', 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d31', 1700000000000, '{"number":1,"text":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}', NULL);


--
-- Data for Name: idempotency; Type: TABLE DATA; Schema: headrace; Owner: -
--



--
-- Data for Name: index_entry; Type: TABLE DATA; Schema: headrace; Owner: -
--



--
-- Data for Name: lane; Type: TABLE DATA; Schema: headrace; Owner: -
--

INSERT INTO headrace.lane VALUES (1, 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d30', 0, 0, 0, 0, NULL, NULL, NULL, NULL);
INSERT INTO headrace.lane VALUES (2, 1, '\x6163636f756e74', '\x32384636424433442d464441342d343639352d413530462d4542303330304532453033382d302d31', 0, 0, 0, 0, NULL, NULL, NULL, NULL);


--
-- Data for Name: outcome; Type: TABLE DATA; Schema: headrace; Owner: -
--



--
-- Data for Name: scheduled_message; Type: TABLE DATA; Schema: headrace; Owner: -
--



--
-- Data for Name: store; Type: TABLE DATA; Schema: headrace; Owner: -
--

INSERT INTO headrace.store VALUES (true, 1, 2, 'f7938efb-ce18-4e4e-90b4-e02950620d5b');


--
-- Data for Name: subscription; Type: TABLE DATA; Schema: headrace; Owner: -
--

INSERT INTO headrace.subscription OVERRIDING SYSTEM VALUE VALUES (1, '\x6e6f626f6479');


--
-- Name: dead_letter_id_seq; Type: SEQUENCE SET; Schema: headrace; Owner: -
--

SELECT pg_catalog.setval('headrace.dead_letter_id_seq', 1, false);


--
-- Name: entity_index_id_seq; Type: SEQUENCE SET; Schema: headrace; Owner: -
--

SELECT pg_catalog.setval('headrace.entity_index_id_seq', 1, false);


--
-- Name: entity_kind_id_seq; Type: SEQUENCE SET; Schema: headrace; Owner: -
--

SELECT pg_catalog.setval('headrace.entity_kind_id_seq', 2, true);


--
-- Name: event_position; Type: SEQUENCE SET; Schema: headrace; Owner: -
--

SELECT pg_catalog.setval('headrace.event_position', 313, true);


--
-- Name: lane_id; Type: SEQUENCE SET; Schema: headrace; Owner: -
--

SELECT pg_catalog.setval('headrace.lane_id', 20, true);


--
-- Name: message_number; Type: SEQUENCE SET; Schema: headrace; Owner: -
--

SELECT pg_catalog.setval('headrace.message_number', 1, false);


--
-- Name: outcome_number_seq; Type: SEQUENCE SET; Schema: headrace; Owner: -
--

SELECT pg_catalog.setval('headrace.outcome_number_seq', 313, true);


--
-- Name: subscription_id_seq; Type: SEQUENCE SET; Schema: headrace; Owner: -
--

SELECT pg_catalog.setval('headrace.subscription_id_seq', 1, true);


--
-- Name: dead_letter dead_letter_pkey; Type: CONSTRAINT; Schema: headrace; Owner: -
--

ALTER TABLE ONLY headrace.dead_letter
    ADD CONSTRAINT dead_letter_pkey PRIMARY KEY (id);


--
-- Name: delivery delivery_pkey; Type: CONSTRAINT; Schema: headrace; Owner: -
--

ALTER TABLE ONLY headrace.delivery
    ADD CONSTRAINT delivery_pkey PRIMARY KEY (lane, "position");


--
-- Name: entity_index entity_index_kind_name_key; Type: CONSTRAINT; Schema: headrace; Owner: -
--

ALTER TABLE ONLY headrace.entity_index
    ADD CONSTRAINT entity_index_kind_name_key UNIQUE (kind, name);


--
-- Name: entity_index entity_index_pkey; Type: CONSTRAINT; Schema: headrace; Owner: -
--

ALTER TABLE ONLY headrace.entity_index
    ADD CONSTRAINT entity_index_pkey PRIMARY KEY (id);


--
-- Name: entity_kind entity_kind_name_key; Type: CONSTRAINT; Schema: headrace; Owner: -
--

ALTER TABLE ONLY headrace.entity_kind
    ADD CONSTRAINT entity_kind_name_key UNIQUE (name);


--
-- Name: entity_kind entity_kind_pkey; Type: CONSTRAINT; Schema: headrace; Owner: -
--

ALTER TABLE ONLY headrace.entity_kind
    ADD CONSTRAINT entity_kind_pkey PRIMARY KEY (id);


--
-- Name: entity entity_pkey; Type: CONSTRAINT; Schema: headrace; Owner: -
--

ALTER TABLE ONLY headrace.entity
    ADD CONSTRAINT entity_pkey PRIMARY KEY (kind, key);


--
-- Name: event event_pkey; Type: CONSTRAINT; Schema: headrace; Owner: -
--

ALTER TABLE ONLY headrace.event
    ADD CONSTRAINT event_pkey PRIMARY KEY ("position");


--
-- Name: idempotency idempotency_pkey; Type: CONSTRAINT; Schema: headrace; Owner: -
--

ALTER TABLE ONLY headrace.idempotency
    ADD CONSTRAINT idempotency_pkey PRIMARY KEY (key);


--
-- Name: index_entry index_entry_pkey; Type: CONSTRAINT; Schema: headrace; Owner: -
--

ALTER TABLE ONLY headrace.index_entry
    ADD CONSTRAINT index_entry_pkey PRIMARY KEY (index_id, value, key);


--
-- Name: lane lane_pkey; Type: CONSTRAINT; Schema: headrace; Owner: -
--

ALTER TABLE ONLY headrace.lane
    ADD CONSTRAINT lane_pkey PRIMARY KEY (id);


--
-- Name: lane lane_subscription_stream_kind_stream_key_key; Type: CONSTRAINT; Schema: headrace; Owner: -
--

ALTER TABLE ONLY headrace.lane
    ADD CONSTRAINT lane_subscription_stream_kind_stream_key_key UNIQUE (subscription, stream_kind, stream_key);


--
-- Name: outcome outcome_number_key; Type: CONSTRAINT; Schema: headrace; Owner: -
--

ALTER TABLE ONLY headrace.outcome
    ADD CONSTRAINT outcome_number_key UNIQUE (number);


--
-- Name: outcome outcome_pkey; Type: CONSTRAINT; Schema: headrace; Owner: -
--

ALTER TABLE ONLY headrace.outcome
    ADD CONSTRAINT outcome_pkey PRIMARY KEY (batch);


--
-- Name: scheduled_message scheduled_message_pkey; Type: CONSTRAINT; Schema: headrace; Owner: -
--

ALTER TABLE ONLY headrace.scheduled_message
    ADD CONSTRAINT scheduled_message_pkey PRIMARY KEY (number);


--
-- Name: store store_pkey; Type: CONSTRAINT; Schema: headrace; Owner: -
--

ALTER TABLE ONLY headrace.store
    ADD CONSTRAINT store_pkey PRIMARY KEY (one);


--
-- Name: subscription subscription_name_key; Type: CONSTRAINT; Schema: headrace; Owner: -
--

ALTER TABLE ONLY headrace.subscription
    ADD CONSTRAINT subscription_name_key UNIQUE (name);


--
-- Name: subscription subscription_pkey; Type: CONSTRAINT; Schema: headrace; Owner: -
--

ALTER TABLE ONLY headrace.subscription
    ADD CONSTRAINT subscription_pkey PRIMARY KEY (id);


--
-- Name: dead_letter_by_position; Type: INDEX; Schema: headrace; Owner: -
--

CREATE INDEX dead_letter_by_position ON headrace.dead_letter USING btree ("position");


--
-- Name: dead_letter_by_subscription; Type: INDEX; Schema: headrace; Owner: -
--

CREATE INDEX dead_letter_by_subscription ON headrace.dead_letter USING btree (subscription, id);


--
-- Name: delivery_by_position; Type: INDEX; Schema: headrace; Owner: -
--

CREATE INDEX delivery_by_position ON headrace.delivery USING btree ("position");


--
-- Name: idempotency_by_date; Type: INDEX; Schema: headrace; Owner: -
--

CREATE INDEX idempotency_by_date ON headrace.idempotency USING btree (date);


--
-- Name: index_entry_by_key; Type: INDEX; Schema: headrace; Owner: -
--

CREATE INDEX index_entry_by_key ON headrace.index_entry USING btree (index_id, key, value);


--
-- Name: lane_by_time; Type: INDEX; Schema: headrace; Owner: -
--

CREATE INDEX lane_by_time ON headrace.lane USING btree (subscription, ready_at, id);


--
-- Name: lane_by_unknown_name; Type: INDEX; Schema: headrace; Owner: -
--

CREATE INDEX lane_by_unknown_name ON headrace.lane USING btree (subscription) WHERE (unknown_name IS NOT NULL);


--
-- Name: outcome_by_time; Type: INDEX; Schema: headrace; Owner: -
--

CREATE INDEX outcome_by_time ON headrace.outcome USING btree (at);


--
-- Name: scheduled_message_by_id; Type: INDEX; Schema: headrace; Owner: -
--

CREATE INDEX scheduled_message_by_id ON headrace.scheduled_message USING btree (id);


--
-- PostgreSQL database dump complete
--

\unrestrict nlu6Y1VV63m80VDeTEfrKBQltISHNEgf9FImW4TbEX3iEDPZuFag15O4mseRLqT

