// SPDX-License-Identifier: Apache-2.0

#if Postgres
/// The function that settles leases, in a commit or alone.
enum SettlementProcedure {
    /// The numbers of ``HeadraceStorage/Settlement/End`` in `s_end`; 0 if the lease continues.
    enum End: Int64 {
        case none, finished, retry, released, unknown
    }

    /// The parameters, with their types.
    ///
    /// `s_first` is the first position that the relay believes unsettled. `s_name` is the name of an unknown message, or the error before a retry. `a_` are acknowledged positions, and `f_` failures, by
    /// number of settlement.
    static let columns: [(name: String, type: String)] = [
        // Settlements of one lane have ascending rounds, from 0.
        ("s_lane", "bigint"), ("s_token", "bigint"), ("s_round", "bigint"), ("s_attempts", "bigint"),
        ("s_end", "bigint"), ("s_ready", "bigint"), ("s_since", "bigint"), ("s_name", "bytea"), ("s_version", "bigint"),
        ("s_unknown", "bigint"), ("s_first", "bigint"),
        ("a_settlement", "bigint"), ("a_position", "bigint"),
        ("f_settlement", "bigint"), ("f_position", "bigint"), ("f_attempts", "bigint"), ("f_reason", "bytea"),
        ("f_date", "bigint"),
    ]

    static var call: String {
        let places = (1...columns.count + 1).map { "$\($0)" }.joined(separator: ", ")
        return "SELECT unnest(settle_alone(\(places)))"
    }

    private static var parameters: String {
        "p_chosen bigint[], " + columns.map { "\($0.name) \($0.type)[]" }.joined(separator: ", ")
    }

    /// The function takes the lock, so that a settlement alone is ordered with commits.
    static var statements: [String] {
        [
            """
            CREATE OR REPLACE FUNCTION settle_alone(\(parameters)) RETURNS bigint[] LANGUAGE plpgsql AS $function$
            BEGIN
                PERFORM set_config('synchronous_commit', 'off', true),
                    \(CommitProcedure.planning(ofRows: "cardinality(s_lane) + cardinality(a_position)"));
                PERFORM \(CommitProcedure.lock);
                RETURN settle(p_chosen, \(columns.map(\.name).joined(separator: ", ")));
            END $function$
            """,
            settle,
        ]
    }

    /// The condition that the lane of the settlement `s` has a delivery before those that the relay believes unsettled.
    static let isTooLate =
        "EXISTS (SELECT 1 FROM delivery WHERE delivery.lane = s.lane AND delivery.position < s.first)"

    /// Applies the settlements with the numbers `p_chosen`, and returns the numbers of those whose lease has ended, or whose lane has
    /// an earlier delivery.
    private static var settle: String {
        """
        CREATE OR REPLACE FUNCTION settle(\(parameters)) RETURNS bigint[] LANGUAGE plpgsql AS $function$
        #variable_conflict use_column
        DECLARE
            v_refused bigint[] := '{}';
            v_valid bigint[];
        BEGIN
            FOR v_round IN 0..coalesce((SELECT max(round) FROM unnest(s_round) round), -1) LOOP
                v_valid := ARRAY(
                    SELECT s.n FROM unnest(s_lane, s_token, s_round, s_first)
                        WITH ORDINALITY s (lane, token, round, first, n)
                    JOIN lane ON lane.id = s.lane AND lane.token = s.token
                    WHERE s.round = v_round AND s.n = ANY (p_chosen) AND NOT \(isTooLate)
                );
                v_refused := v_refused || ARRAY(
                    SELECT s.n FROM unnest(s_round) WITH ORDINALITY s (round, n)
                    WHERE s.round = v_round AND s.n = ANY (p_chosen) AND s.n <> ALL (v_valid) ORDER BY s.n
                );
                DELETE FROM scheduled_message USING unnest(a_settlement, a_position) a (settlement, position)
                WHERE number = -a.position AND a.position < 0 AND a.settlement = ANY (v_valid);

                INSERT INTO dead_letter (subscription, position, is_replay, attempts, reason, date, correction)
                SELECT lane.subscription, delivery.position, delivery.is_replay, f.attempts, f.reason, f.date,
                    lane.correction
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
                    END,
                    last_failure = CASE
                        WHEN s.ending = 2 AND s.name IS NOT NULL THEN s.name
                        WHEN s.is_removing THEN NULL
                        ELSE lane.last_failure
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
        END $function$
        """
    }
}

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
