// SPDX-License-Identifier: Apache-2.0

#if Postgres
/// The functions that replay events in parts, each of which is one transaction.
///
/// All take the lock of replays before the lock of the store. So of the processes that advance replays, at most one waits for
/// the lock of the store, and other writers have their turn between two parts.
enum ReplayProcedure {
    private static let key = "hashtextextended('headrace replay ' || current_schema(), 0)"

    static let statements = [
        // Ends all leases of the subscription, and replays the first part; `o_count` is NULL if an earlier replay isn't complete.
        """
        CREATE OR REPLACE FUNCTION begin_replay(
            p_name bytea, p_names text, p_after bigint, p_limit bigint, OUT o_count bigint, OUT o_is_complete boolean
        ) LANGUAGE plpgsql AS $function$
        DECLARE
            v_subscription bigint;
        BEGIN
            PERFORM pg_advisory_xact_lock(\(key));
            PERFORM \(CommitProcedure.lock);
            INSERT INTO subscription (name)
            SELECT p_name WHERE NOT EXISTS (SELECT 1 FROM subscription WHERE name = p_name);
            UPDATE subscription SET replay_after = p_after, replay_names = p_names, replay_count = 0,
                replay_until = coalesce((SELECT max(position) FROM event), 0)
            WHERE name = p_name AND replay_after IS NULL RETURNING id INTO v_subscription;
            IF NOT FOUND THEN RETURN; END IF;
            -- Each lane that was leased since the last replay has such a time.
            UPDATE lane SET token = token + 1, attempts = 0, begun = 0, ready_at = 0, since = NULL,
                unknown_name = NULL, unknown_version = NULL, unknown_since = NULL, last_failure = NULL
            WHERE subscription = v_subscription AND ready_at > 0;
            PERFORM nextval('replay_number');
            SELECT * INTO o_count, o_is_complete FROM advance_replay(p_name, p_limit, true);
        END $function$
        """,
        // Replays the next events up to the limit of those that are read, of all names. `o_count` is the number of replayed events
        // since the beginning; NULL if another process advances a replay now and `p_waits` is false.
        """
        CREATE OR REPLACE FUNCTION advance_replay(
            p_name bytea, p_limit bigint, p_waits boolean, OUT o_count bigint, OUT o_is_complete boolean
        ) LANGUAGE plpgsql AS $function$
        #variable_conflict use_column
        DECLARE
            v_subscription subscription%ROWTYPE;
            v_last bigint;
            v_names bytea[];
            v_positions bigint[];
            v_kinds bytea[];
            v_keys bytea[];
        BEGIN
            IF p_waits THEN
                PERFORM pg_advisory_xact_lock(\(key));
            ELSIF NOT pg_try_advisory_xact_lock(\(key)) THEN
                RETURN;
            END IF;
            PERFORM \(CommitProcedure.planning(ofRows: "p_limit"));
            PERFORM \(CommitProcedure.lock);
            SELECT * INTO v_subscription FROM subscription WHERE name = p_name;
            o_count := coalesce(v_subscription.replay_count, 0);
            o_is_complete := v_subscription.replay_after IS NULL;
            IF o_is_complete THEN RETURN; END IF;
            v_last := (
                SELECT max(position) FROM (
                    SELECT position FROM event
                    WHERE position > v_subscription.replay_after AND position <= v_subscription.replay_until
                    ORDER BY position LIMIT p_limit
                ) part
            );
            v_names := ARRAY(
                SELECT decode(substr(name, 2), 'hex') FROM unnest(string_to_array(v_subscription.replay_names, ',')) names (name)
            );
            SELECT array_agg(position ORDER BY position), array_agg(stream_kind ORDER BY position),
                array_agg(stream_key ORDER BY position)
            INTO v_positions, v_kinds, v_keys
            FROM event
            WHERE position > v_subscription.replay_after AND position <= v_last AND name = ANY (v_names)
                AND NOT EXISTS (
                    SELECT 1 FROM delivery JOIN lane ON lane.id = delivery.lane
                    WHERE delivery.position = event.position AND lane.subscription = v_subscription.id
                );
            IF v_positions IS NOT NULL THEN
                o_count := o_count + cardinality(v_positions);
                PERFORM deliver(
                    v_positions, array_fill(p_name, ARRAY[cardinality(v_positions)]), v_kinds, v_keys, true
                );
            END IF;
            o_is_complete := NOT EXISTS (
                SELECT 1 FROM event WHERE position > v_last AND position <= v_subscription.replay_until
            );
            UPDATE subscription SET replay_count = o_count,
                replay_after = CASE WHEN NOT o_is_complete THEN v_last END,
                replay_until = CASE WHEN NOT o_is_complete THEN replay_until END,
                replay_names = CASE WHEN NOT o_is_complete THEN replay_names END
            WHERE id = v_subscription.id;
        END $function$
        """,
    ]
}
#endif
