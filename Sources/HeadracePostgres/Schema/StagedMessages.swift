// SPDX-License-Identifier: Apache-2.0

#if Postgres
/// The functions with which any client stages messages in its transaction, and the function that moves them.
///
/// A staged message is a row that the client's transaction inserts. Once it is committed, the next lease moves it to the scheduled
/// messages, under the lock that each lease takes. So the client takes no lock of the store, and its open transaction delays no
/// writer.
enum StagedMessages {
    /// The SQLSTATEs with which the functions refuse arguments.
    enum Refusal: String, CaseIterable {
        case name = "HR011"
        case version = "HR012"
        case document = "HR013"
        case stream = "HR014"
        case time = "HR015"
        case origin = "HR016"
        case id = "HR017"
    }

    /// Maximum number of rows that a lease moves.
    static let batchLimit = 1_000

    /// Number of bytes of documents after which a lease moves no further rows, because other writers wait meanwhile.
    static let byteLimit = 8 << 20

    /// The number of the first staged message that is moved, plus 1; later ones have smaller numbers.
    ///
    /// Positions are negated numbers, so the positions ascend within the lane of a stream. The numbers of other scheduled messages
    /// ascend from 1. All of them are exact in JSON.
    static let firstNumber = 1 << 52

    /// The condition that a lease must move rows: its relay wants scheduled messages, and neither a pause nor a replay keeps them.
    static let areWanted = """
        EXISTS (SELECT 1 FROM staged) AND '\(DeliveryProcedures.scheduled)' = ANY (p_subscriptions) AND NOT EXISTS (
            SELECT 1 FROM subscription
            WHERE subscription.name = '\(DeliveryProcedures.scheduled)'
                AND (subscription.paused_at IS NOT NULL OR subscription.replay_after IS NOT NULL)
        )
        """

    /// Moves rows, in the caller's transaction.
    static let move = "move_staged(\(batchLimit), \(byteLimit), p_now)"

    private struct Function {
        let name: String
        let parameters: [(name: String, type: String, initial: String?)]
        let result: String
        let call: String

        var signature: String { "\(name)(\(parameters.map(\.type).joined(separator: ", ")))" }

        var declaration: String {
            let all = parameters.map { parameter in
                "\(parameter.name) \(parameter.type)" + (parameter.initial.map { " DEFAULT \($0)" } ?? "")
            }
            return "\(name)(\(all.joined(separator: ", "))) RETURNS \(result)"
        }
    }

    /// The functions for clients.
    ///
    /// Without the overloads for `text`, a literal without a type would fit several functions: PostgreSQL prefers text.
    private static var functions: [Function] {
        let end: [(name: String, type: String, initial: String?)] = [
            ("version", "bigint", "1"), ("origin", "text", "NULL"), ("id", "uuid", "NULL"),
        ]
        let documents: [Function] = ["text", "json", "jsonb"].flatMap { type -> [Function] in
            let begin: [(name: String, type: String, initial: String?)] = [
                ("name", "text", nil), ("document", type, nil),
            ]
            let document = "document::text, \(type == "text")"
            return [
                Function(
                    name: "raise",
                    parameters: begin + [("stream_kind", "text", "NULL"), ("stream_key", "text", "NULL")] + end,
                    result: "uuid",
                    call: "stage('event', name, \(document), stream_kind, stream_key, version, false, NULL, origin, id)"
                ),
                Function(
                    name: "send", parameters: begin + end, result: "uuid",
                    call: "stage('command', name, \(document), NULL, NULL, version, false, NULL, origin, id)"),
                Function(
                    name: "schedule", parameters: begin + [("due", "timestamptz", nil)] + end, result: "uuid",
                    call: "stage('command', name, \(document), NULL, NULL, version, true, due, origin, id)"),
            ]
        }
        let cancellations = ["text", "uuid"].map { type in
            Function(
                name: "cancel", parameters: [("id", type, nil)], result: "void", call: "stage_cancellation(id::text)")
        }
        return documents + cancellations
    }

    /// Creates the functions in the schema of `target`, for stores that listen on `channel`.
    ///
    /// The functions for clients run with the rights of their owner, and find only the objects of the server and of the store. Only
    /// roles that were granted the right can call them. A role can call the others, but has no right to the tables that they use.
    static func statements(_ target: SessionTarget, channel: String) -> [String] {
        let made = functions.flatMap { function in
            [
                """
                CREATE OR REPLACE FUNCTION \(function.declaration) LANGUAGE plpgsql SECURITY DEFINER
                SET search_path = pg_catalog, \(target.quotedSchema), pg_temp AS $function$
                BEGIN
                    \(function.result == "void" ? "PERFORM" : "RETURN") \(function.call);
                END $function$
                """,
                "REVOKE EXECUTE ON FUNCTION \(function.signature) FROM PUBLIC",
            ]
        }
        return [
            moveStaged, storedOrigin, refuseStaged, stage(channel, target.schema),
            stageCancellation(channel, target.schema),
        ] + made
    }

    /// Notifies the relays at the end of the client's transaction, unless one watches.
    ///
    /// There is one notification, because the server drops equal ones. The writer is no store, so that all stores listen.
    private static func notify(_ channel: String) -> String {
        """
        IF \(StagingWatch.milliseconds("v_now")) >= v_watched_until THEN
            v_nothing := pg_notify('\(channel)',
                '{"writer":"00000000-0000-0000-0000-000000000000","kinds":[],"hasEvents":false,"hasDeliveries":true}');
        END IF;
        """
    }

    private static func refuse(
        _ refusal: Refusal,
        if condition: String,
        _ message: String,
        _ arguments: String = "",
        hint: String
    ) -> String {
        """
        IF \(condition) THEN
            RAISE EXCEPTION '\(message)'\(arguments)
                USING ERRCODE = '\(refusal.rawValue)', HINT = 'To fix, \(hint).';
        END IF;
        """
    }

    /// Raises the error of the arguments that are wrong.
    private static var refuseStaged: String {
        """
        CREATE OR REPLACE FUNCTION refuse_staged(
            p_kind text, p_name text, p_document text, p_stream_kind text, p_stream_key text, p_version bigint, p_due timestamptz
        ) RETURNS void LANGUAGE plpgsql AS $function$
        BEGIN
            \(refuse(
                .name, if: "coalesce(p_name, '') = ''", "the name of the % is empty", ", p_kind",
                hint: "pass the stored name of its type"))
            \(refuse(
                .name, if: "octet_length(p_name) > \(TextLimit.byteCount)",
                "the name of the % has % bytes, and at most \(TextLimit.byteCount) are possible",
                ", p_kind, octet_length(p_name)", hint: "pass the stored name of its type"))
            \(refuse(
                .version, if: "coalesce(p_version, 0) < 1", "the version of ''%'' is %",
                ", p_name, coalesce(p_version::text, 'NULL')", hint: "pass a version from 1 on"))
            \(refuse(
                .stream, if: "(p_stream_kind IS NULL) <> (p_stream_key IS NULL)",
                "the stream of ''%'' has a kind or a key, but not both", ", p_name",
                hint: "pass both stream_kind and stream_key, or neither"))
            \(refuse(
                .stream, if: "greatest(octet_length(p_stream_kind), octet_length(p_stream_key)) > \(TextLimit.byteCount)",
                "the stream of ''%'' has a kind or a key of more than \(TextLimit.byteCount) bytes", ", p_name",
                hint: "use a shorter text, for example a hash"))
            \(refuse(
                .document, if: "p_document IS NULL", "the document of ''%'' is NULL", ", p_name", hint: "pass JSON"))
            \(refuse(
                .document, if: "octet_length(p_document) > \(TextLimit.messageLength)",
                "the document of ''%'' has % bytes, and at most \(TextLimit.messageLength) are possible",
                ", p_name, octet_length(p_document)", hint: "keep large contents elsewhere"))
            \(refuse(
                .time, if: "true", "the time of ''%'' is %", ", p_name, coalesce(p_due::text, 'NULL')",
                hint: "pass a finite time"))
        END $function$
        """
    }

    /// Stages an event or a command.
    ///
    /// It has few statements, because each is prepared again in each transaction. The error of a cast to `json` needs a block to
    /// become one with a remedy.
    private static func stage(_ channel: String, _ schema: String) -> String {
        """
        CREATE OR REPLACE FUNCTION stage(
            p_kind text, p_name text, p_document text, p_checks_document boolean, p_stream_kind text, p_stream_key text,
            p_version bigint, p_has_due boolean, p_due timestamptz, p_origin text, p_id uuid
        ) RETURNS uuid LANGUAGE plpgsql AS $function$
        DECLARE
            v_now timestamptz := clock_timestamp();
            v_nothing text;
            v_watched_until bigint;
            v_id uuid;
        BEGIN
            IF (octet_length(p_name) BETWEEN 1 AND \(TextLimit.byteCount) AND p_version >= 1
                AND (p_stream_kind IS NULL) = (p_stream_key IS NULL)
                AND coalesce(
                    greatest(octet_length(p_stream_kind), octet_length(p_stream_key)) <= \(TextLimit.byteCount), true)
                AND octet_length(p_document) <= \(TextLimit.messageLength) AND (NOT p_has_due OR isfinite(p_due))
            ) IS NOT TRUE THEN
                PERFORM refuse_staged(p_kind, p_name, p_document, p_stream_kind, p_stream_key, p_version, p_due);
            END IF;
            IF p_checks_document THEN
                BEGIN
                    v_nothing := left(p_document::json::text, 0);
                EXCEPTION WHEN data_exception OR statement_too_complex THEN
                    RAISE EXCEPTION 'the document of ''%'' is not JSON: %', p_name, SQLERRM
                        USING ERRCODE = '\(Refusal.document.rawValue)', HINT = 'To fix, pass the JSON of the message.';
                END;
            END IF;
            \(StagingWatch.enter(schema))
            -- A UUID of version 7: milliseconds, then the fraction of a millisecond, then random bits.
            -- https://www.rfc-editor.org/rfc/rfc9562, section 5.7 and method 3 of section 6.2.
            INSERT INTO staged (kind, message, name, version, stream_kind, stream_key, due_at, document, origin)
            VALUES (
                p_kind,
                coalesce(p_id, (
                    lpad(to_hex(\(StagingWatch.milliseconds("v_now"))), 12, '0')
                    || '7' || lpad(to_hex(extract(microseconds FROM v_now)::bigint % 1000 * 4096 / 1000), 3, '0')
                    || right(replace(gen_random_uuid()::text, '-', ''), 16)
                )::uuid),
                convert_to(p_name, 'UTF8'), p_version, convert_to(p_stream_kind, 'UTF8'), convert_to(p_stream_key, 'UTF8'),
                round(extract(epoch FROM p_due) * 1000)::bigint, p_document,
                CASE WHEN p_origin IS NOT NULL THEN stored_origin(p_name, p_origin) END
            ) RETURNING message, \(StagingWatch.end) INTO v_id, v_watched_until;
            \(notify(channel))
            RETURN v_id;
        END $function$
        """
    }

    private static func stageCancellation(_ channel: String, _ schema: String) -> String {
        """
        CREATE OR REPLACE FUNCTION stage_cancellation(p_id text) RETURNS void LANGUAGE plpgsql AS $function$
        DECLARE
            v_now timestamptz := clock_timestamp();
            v_nothing text;
            v_watched_until bigint;
        BEGIN
            IF p_id IS NULL OR p_id !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN
                RAISE EXCEPTION 'the identifier ''%'' is not a UUID', coalesce(left(p_id, 40), 'NULL')
                    USING ERRCODE = '\(Refusal.id.rawValue)',
                        HINT = 'To fix, pass the identifier that send or schedule has returned.';
            END IF;
            \(StagingWatch.enter(schema))
            INSERT INTO staged (kind, message) VALUES ('cancellation', p_id::uuid)
            RETURNING \(StagingWatch.end) INTO v_watched_until;
            \(notify(channel))
        END $function$
        """
    }

    /// The origin in the form that stores read: a lease must not fail because a client has written another form.
    private static let storedOrigin = """
        CREATE OR REPLACE FUNCTION stored_origin(p_name text, p_origin text) RETURNS text LANGUAGE plpgsql AS $function$
        DECLARE
            v_origin jsonb;
            v_trace jsonb;
        BEGIN
            v_origin := p_origin::jsonb;
            v_trace := coalesce(nullif(v_origin->'trace', 'null'), '{}');
            IF jsonb_typeof(v_origin) <> 'object' OR jsonb_typeof(v_trace) <> 'object'
                OR coalesce(jsonb_typeof(v_origin->'principalID'), 'null') NOT IN ('null', 'string')
                OR EXISTS (SELECT 1 FROM jsonb_each(v_trace) part WHERE jsonb_typeof(part.value) <> 'string')
            THEN
                RAISE data_exception USING MESSAGE = 'it has another form';
            END IF;
            RETURN jsonb_strip_nulls(jsonb_build_object(
                'causationID', upper((v_origin->>'causationID')::uuid::text),
                'correlationID', upper((v_origin->>'correlationID')::uuid::text),
                'principalID', v_origin->'principalID', 'trace', v_trace
            ))::text;
        EXCEPTION WHEN data_exception OR statement_too_complex THEN
            RAISE EXCEPTION 'the origin of ''%'' is invalid: %', p_name, SQLERRM
                USING ERRCODE = '\(Refusal.origin.rawValue)', HINT = 'To fix, pass an object with causationID and correlationID '
                    'as UUIDs, principalID as text, and trace as an object of texts, or pass NULL.';
        END $function$
        """

    /// Moves the first rows to the scheduled messages; the caller holds the store's lock.
    ///
    /// The order is that of the numbers that the rows received when they were staged. A transaction that commits after later numbers
    /// were moved follows them. A cancellation applies to the messages before it. Nothing here can fail because of the content of
    /// a row: `stage` has checked it.
    private static let moveStaged = """
        CREATE OR REPLACE FUNCTION move_staged(p_rows bigint, p_bytes bigint, p_now bigint) RETURNS void
        LANGUAGE plpgsql AS $function$
        #variable_conflict use_column
        DECLARE
            v_kind text[];
            v_id uuid[];
            v_name bytea[];
            v_version bigint[];
            v_stream_kind bytea[];
            v_stream_key bytea[];
            v_due bigint[];
            v_document text[];
            v_origin text[];
            v_later bigint[];
            v_ready bigint[];
            v_number bigint[];
        BEGIN
            WITH first AS MATERIALIZED (
                SELECT id, sum(size) OVER (ORDER BY id) - size AS before FROM (
                    SELECT id, coalesce(octet_length(document), 0) AS size FROM staged ORDER BY id LIMIT p_rows
                ) part
            ), moved AS (
                DELETE FROM staged USING first WHERE staged.id = first.id AND first.before < p_bytes RETURNING staged.*
            )
            SELECT array_agg(kind ORDER BY id), array_agg(message ORDER BY id), array_agg(name ORDER BY id),
                array_agg(version ORDER BY id), array_agg(stream_kind ORDER BY id), array_agg(stream_key ORDER BY id),
                array_agg(due_at ORDER BY id), array_agg(document ORDER BY id), array_agg(origin ORDER BY id)
            INTO v_kind, v_id, v_name, v_version, v_stream_kind, v_stream_key, v_due, v_document, v_origin
            FROM moved;
            IF v_kind IS NULL THEN RETURN; END IF;

            IF 'cancellation' = ANY (v_kind) THEN
                PERFORM cancel(ARRAY(
                    SELECT s.id FROM unnest(v_kind, v_id) s (kind, id) WHERE s.kind = 'cancellation'
                ));
            END IF;
            SELECT coalesce(array_agg(n ORDER BY n) FILTER (WHERE due IS NOT NULL), '{}'),
                coalesce(array_agg(n ORDER BY n) FILTER (WHERE due IS NULL), '{}')
            INTO v_later, v_ready FROM (
                SELECT n, due, kind = 'cancellation' OR n < max(n) FILTER (WHERE kind = 'cancellation') OVER (PARTITION BY id)
                    AS is_cancelled
                FROM unnest(v_kind, v_id, v_due) WITH ORDINALITY s (kind, id, due, n)
            ) s WHERE is_cancelled IS NOT TRUE;
            \(StagingWatch.begin(ifRows: "cardinality(v_later) + cardinality(v_ready)"))

            IF cardinality(v_later) > 0 THEN
                PERFORM schedule(
                    coalesce(array_agg(n) FILTER (WHERE n <> ALL (v_later)), '{}'), array_agg(n ORDER BY n), v_id, v_kind, v_name, v_version,
                    v_stream_kind, v_stream_key, v_due, array_fill(NULL::bigint, ARRAY[cardinality(v_id)]), v_document, v_origin
                ) FROM generate_series(1, cardinality(v_id)::bigint) n;
            END IF;
            IF cardinality(v_ready) > 0 THEN
                v_number := ARRAY(SELECT \(firstNumber) - nextval('staged_number') FROM unnest(v_ready));
                PERFORM deliver(
                    array_agg(-number ORDER BY s.n), array_agg('\(DeliveryProcedures.scheduled)'::bytea),
                    array_agg(v_stream_kind[s.row] ORDER BY s.n), array_agg(v_stream_key[s.row] ORDER BY s.n), false
                ) FROM unnest(v_ready, v_number) WITH ORDINALITY s (row, number, n);
                INSERT INTO scheduled_message (
                    number, id, kind, name, version, stream_kind, stream_key, due_at, document, origin, lane
                )
                SELECT s.number, v_id[s.row], v_kind[s.row], v_name[s.row], v_version[s.row], v_stream_kind[s.row],
                    v_stream_key[s.row], p_now, v_document[s.row], v_origin[s.row], delivery.lane
                FROM unnest(v_ready, v_number) s (row, number) JOIN delivery ON delivery.position = -s.number;
            END IF;
        END $function$
        """
}
#endif
