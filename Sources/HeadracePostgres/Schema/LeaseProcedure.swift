// SPDX-License-Identifier: Apache-2.0

#if Postgres
/// The functions that lease lanes.
enum LeaseProcedure {
    /// The columns of an event, in their order in each statement that reads events.
    static let event = event(document: "event.document")

    /// The columns of an event and of a scheduled message, in their order in each statement that reads deliveries.
    ///
    /// The column `correction` of `table` replaces their documents.
    static func messages(of table: String) -> String {
        """
        \(event(document: "coalesce(\(table).correction, event.document)")),
        message.number, message.id, message.kind, message.name, message.version, message.stream_kind,
        message.stream_key, message.due_at, coalesce(\(table).correction, message.document), message.origin
        """
    }

    private static func event(document: String) -> String {
        """
        event.position, event.id, event.name, event.version, event.stream_kind, event.stream_key, event.recorded_at,
        \(document), event.origin
        """
    }

    /// The call of the procedure in `schema`, which is quoted.
    static func call(in schema: String) -> String {
        let places = (1...15).map { "$\($0)" }.joined(separator: ", ")
        return "CALL \(schema).lease_lanes(\(places), NULL)"
    }

    /// Number of values of a lane in the array that the procedure returns.
    static let laneWidth = 8

    static let messages = "SELECT * FROM leased_messages($1, $2, $3)"

    /// For each subscription, the time at which its next lane becomes due, its name if it is paused, and its name if a replay isn't
    /// complete.
    ///
    /// The time is now if staged messages are left, and soon if the relay watches for others.
    static let nextDue = """
        SELECT CASE WHEN paused_at IS NULL AND replay_after IS NULL THEN next.ready_at END,
            CASE WHEN paused_at IS NOT NULL THEN name END, CASE WHEN replay_after IS NOT NULL THEN name END
        FROM subscription LEFT JOIN LATERAL (
            SELECT CASE
                WHEN subscription.name = '\(DeliveryProcedures.scheduled)' AND EXISTS (SELECT 1 FROM staged) THEN $2::bigint
                ELSE least(
                    (
                        SELECT lane.ready_at FROM lane WHERE lane.subscription = subscription.id AND lane.ready_at > $2
                        ORDER BY lane.ready_at LIMIT 1
                    ),
                    CASE WHEN subscription.name = '\(DeliveryProcedures.scheduled)' THEN \(StagingWatch.next("$2")) END
                )
            END AS ready_at
        ) next ON true WHERE subscription.name = ANY ($1)
            AND (paused_at IS NOT NULL OR replay_after IS NOT NULL OR next.ready_at IS NOT NULL)
        """

    /// The IDs of the requested subscriptions, 0 for each that doesn't exist, is paused, or has a replay that isn't complete.
    private static let unpaused = """
        ARRAY(
            SELECT coalesce(subscription.id, 0) FROM unnest(p_subscriptions) WITH ORDINALITY wanted (name, n)
            LEFT JOIN subscription ON subscription.name = wanted.name AND subscription.paused_at IS NULL
                AND subscription.replay_after IS NULL
            ORDER BY wanted.n
        )
        """

    /// The variables of ``choice``.
    private static let variables = """
        v_replays bigint;
        v_hints bigint[];
        v_ids bigint[];
        v_share bigint;
        v_limit bigint;
        v_room bigint;
        v_found bigint[];
        v_taken bigint[] := '{}';
        """

    /// Chooses the lanes `v_taken`, and takes the lock unless nothing is due; then it returns from the function.
    private static let choice = """
        PERFORM \(CommitProcedure.planning(ofRows: "p_lane_limit"));
        v_replays := (SELECT last_value FROM replay_number);
        v_hints := CASE WHEN v_replays = p_replays THEN p_hints ELSE '{}' END;
        v_ids := \(unpaused);
        IF '\(DeliveryProcedures.scheduled)' = ANY (p_subscriptions) THEN
            \(StagingWatch.endIfOver)
        END IF;
        -- Most requests find nothing, so they don't take the lock.
        -- Each condition has an index, except the last, which is rare.
        IF NOT (
            EXISTS (
                SELECT 1 FROM unnest(v_ids) WITH ORDINALITY wanted (id, n) JOIN lane ON lane.subscription = wanted.id
                WHERE lane.ready_at = 0 AND lane.id > coalesce(v_hints[wanted.n], 0)
            ) OR EXISTS (
                SELECT 1 FROM lane WHERE lane.subscription = ANY (v_ids) AND lane.ready_at BETWEEN 1 AND p_now
            ) OR EXISTS (
                SELECT 1 FROM lane WHERE lane.subscription = ANY (v_ids) AND lane.unknown_name IS NOT NULL
            ) OR p_checks_clocks AND EXISTS (
                SELECT 1 FROM lane WHERE lane.subscription = ANY (v_ids) AND lane.since > p_latest_clock
            ) OR \(StagedMessages.areWanted)
        ) THEN RETURN; END IF;
        PERFORM set_config('synchronous_commit', 'off', true);
        PERFORM \(CommitProcedure.lock);
        IF \(StagedMessages.areWanted) THEN PERFORM \(StagedMessages.move); END IF;
        -- A pause held the lock before, perhaps.
        v_ids := \(unpaused);
        -- A replay that held the lock before has made lanes new again.
        v_replays := (SELECT last_value FROM replay_number);
        IF v_replays <> p_replays THEN v_hints := '{}'; END IF;
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
                    p_known_subscription, p_known_name, p_known_low, p_known_high,
                    coalesce(v_hints[v_number], 0)
                );
                DELETE FROM lane WHERE lane.id = ANY (v_found)
                    AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.lane = lane.id);
                v_taken := v_taken || ARRAY(
                    SELECT found.id FROM unnest(v_found) WITH ORDINALITY found (id, n)
                    JOIN lane ON lane.id = found.id ORDER BY found.n
                );
            END LOOP;
        END LOOP;
        """

    /// The chosen lanes, and whether their handlers may have run.
    private static let chosen = """
        WITH chosen AS MATERIALIZED (
            SELECT lane.*, taken.n, coalesce(
                lane.token > 0
                    AND (SELECT min(delivery.position) FROM delivery WHERE delivery.lane = lane.id) <= lane.begun,
                false
            ) AS may_have_run
            FROM unnest(v_taken) WITH ORDINALITY taken (id, n) JOIN lane ON lane.id = taken.id
        """

    static let statements = [
        // The lanes of one subscription that are due: first those that waited, up to half of the limit, then new lanes.
        // Lanes that wait for a relay that knows their message come before both.
        """
        CREATE OR REPLACE FUNCTION due_lanes(
            p_subscription bigint, p_number bigint, p_limit bigint, p_now bigint, p_taken bigint[],
            p_known_subscription bigint[], p_known_name bytea[], p_known_low bigint[], p_known_high bigint[],
            p_hint bigint
        ) RETURNS bigint[] LANGUAGE plpgsql AS $function$
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
                WHERE lane.subscription = p_subscription AND lane.ready_at = 0 AND lane.id > p_hint
                    AND lane.id <> ALL (v_first || p_taken)
                ORDER BY lane.id LIMIT p_limit - cardinality(v_first)
            );
            RETURN (v_first || v_fresh || v_waited[v_half + 1:])[1:p_limit];
        END $function$
        """,
        // Leases lanes and commits before it returns, so that no client holds the lock while it reads the answer.
        // The second transaction brings the leases to the disk: a handler can have effects outside of the database, so its event
        // and its token must not be lost any longer.
        """
        CREATE OR REPLACE PROCEDURE lease_lanes(
            p_path text, p_lock_timeout text,
            p_subscriptions bytea[], p_lane_limit bigint, p_batch_limit bigint, p_now bigint, p_until bigint,
            p_latest_clock bigint, p_checks_clocks boolean,
            p_known_subscription bigint[], p_known_name bytea[], p_known_low bigint[], p_known_high bigint[],
            p_hints bigint[], INOUT p_replays bigint, INOUT p_leased bigint[]
        ) LANGUAGE plpgsql AS $procedure$
        #variable_conflict use_column
        DECLARE
            \(variables)
        BEGIN
            IF p_path IS NOT NULL THEN
                PERFORM set_config('search_path', p_path, true), set_config('lock_timeout', p_lock_timeout, true);
            END IF;
            \(choice)
            p_replays := v_replays;
            \(chosen)
            ), run AS MATERIALIZED (
                SELECT chosen.*, (
                    SELECT max(head.position) FROM (
                        SELECT delivery.position FROM delivery WHERE delivery.lane = chosen.id ORDER BY delivery.position
                        LIMIT CASE WHEN chosen.may_have_run OR chosen.attempts > 0 THEN 1 ELSE greatest(1, p_batch_limit) END
                    ) head
                ) AS place FROM chosen
            ), leased AS (
                UPDATE lane SET token = lane.token + 1, begun = greatest(lane.begun, run.place), ready_at = p_until,
                    since = p_now, unknown_name = NULL, unknown_version = NULL
                FROM run WHERE lane.id = run.id
            )
            SELECT array_agg(item.value ORDER BY run.n, item.n) INTO p_leased FROM run CROSS JOIN LATERAL unnest(ARRAY[
                run.id, run.token + 1, array_position(v_ids, run.subscription)::bigint, run.attempts,
                run.may_have_run::integer::bigint, run.unknown_since, run.place, (run.ready_at = 0)::integer::bigint
            ]) WITH ORDINALITY item (value, n);
            COMMIT;
            IF p_leased IS NOT NULL THEN
                PERFORM pg_logical_emit_message(true, 'headrace', '');
            END IF;
        END $procedure$
        """,
        // The deliveries of leased lanes, given by their last positions. A lane whose lease has ended since has none.
        """
        CREATE OR REPLACE FUNCTION leased_messages(p_lanes bigint[], p_tokens bigint[], p_places bigint[]) RETURNS TABLE (
            o_number bigint, o_place bigint, o_is_replay boolean,
            e_position bigint, e_id uuid, e_name bytea, e_version bigint, e_kind bytea, e_key bytea, e_date bigint,
            e_document text, e_origin text,
            m_number bigint, m_id uuid, m_type text, m_name bytea, m_version bigint, m_kind bytea, m_key bytea,
            m_due bigint, m_document text, m_origin text
        ) LANGUAGE plpgsql AS $function$
        #variable_conflict use_column
        BEGIN
            PERFORM \(CommitProcedure.planning(ofRows: "cardinality(p_lanes)"));
            RETURN QUERY
            SELECT leased.n, delivery.position, delivery.is_replay, \(messages(of: "lane"))
            FROM unnest(p_lanes, p_tokens, p_places) WITH ORDINALITY leased (id, token, place, n)
            JOIN lane ON lane.id = leased.id AND lane.token = leased.token
            JOIN delivery ON delivery.lane = lane.id AND delivery.position <= leased.place
            LEFT JOIN event ON event.position = delivery.position
            LEFT JOIN scheduled_message message ON message.number = -delivery.position
            ORDER BY leased.n, delivery.position;
        END $function$
        """,
        // For programs of version 7 of the tables and earlier. Its rows are sent before its transaction ends.
        """
        CREATE OR REPLACE FUNCTION lease(
            p_subscriptions bytea[], p_lane_limit bigint, p_batch_limit bigint, p_now bigint, p_until bigint,
            p_latest_clock bigint, p_checks_clocks boolean,
            p_known_subscription bigint[], p_known_name bytea[], p_known_low bigint[], p_known_high bigint[],
            p_hints bigint[], p_replays bigint
        ) RETURNS TABLE (
            o_lane bigint, o_token bigint, o_subscription bigint, o_attempts bigint, o_may_have_run boolean,
            o_unknown_since bigint, o_place bigint, o_is_replay boolean,
            e_position bigint, e_id uuid, e_name bytea, e_version bigint, e_kind bytea, e_key bytea, e_date bigint,
            e_document text, e_origin text,
            m_number bigint, m_id uuid, m_type text, m_name bytea, m_version bigint, m_kind bytea, m_key bytea,
            m_due bigint, m_document text, m_origin text, o_is_new boolean, o_replays bigint
        ) LANGUAGE plpgsql AS $function$
        #variable_conflict use_column
        DECLARE
            \(variables)
        BEGIN
            \(choice)
            RETURN QUERY
            \(chosen)
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
                run.may_have_run, run.unknown_since, run.place, run.is_replay, \(messages(of: "run")),
                run.ready_at = 0, v_replays
            FROM run
            LEFT JOIN event ON event.position = run.place
            LEFT JOIN scheduled_message message ON message.number = -run.place
            ORDER BY run.n, run.place;
        END $function$
        """,
    ]
}
#endif
