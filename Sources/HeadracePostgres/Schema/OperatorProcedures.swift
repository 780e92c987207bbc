// SPDX-License-Identifier: Apache-2.0

#if Postgres
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
