// SPDX-License-Identifier: Apache-2.0

#if Postgres
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
#endif
