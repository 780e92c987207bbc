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
#endif
