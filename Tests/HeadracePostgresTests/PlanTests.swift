// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
@testable import HeadracePostgres
import Testing

/// Plans of statements, which the server keeps while tables grow.
@Suite(.needsServer) struct PlanTests {
    @Test func aPlanMadeForEmptyTablesFindsALaneByItsStream() async throws {
        let plan = try await plan(
            of: "places ('{}', '{}', '{}')",
            after: [
                "BEGIN", "SELECT \(CommitProcedure.planning(ofRows: "1"))",
                "PREPARE places (bytea[], bytea[], bytea[]) AS \(DeliveryProcedures.places("$1", "$2", "$3"))",
            ]
        )

        let condition = "(subscription = subscription.id) AND (stream_kind = d.kind) AND (stream_key = d.key)"
        #expect(plan.contains(condition), "\(plan)")
    }

    @Test func aPageOfPendingDeliveriesReadsTheLanesInTheOrderOfTheirIndex() async throws {
        let plan = try await plan(
            of: "pending (1, 0, 0, 0, 0, 'retrying', 10)",
            after: [
                // The tables are empty, so a scan would be cheaper.
                "SET enable_seqscan = off", "SET plan_cache_mode = force_generic_plan",
                "PREPARE pending AS \(PendingDeliveryReading.sql)",
            ]
        )

        #expect(plan.contains("Index Scan using lane_by_time on lane"), "\(plan)")
        #expect(plan.contains("Index Cond: ((subscription = $1) AND (ready_at >= $3)"), "\(plan)")
        // Without the bounds, a page would read a whole lane.
        #expect(plan.contains("Index Cond: ((lane = lane.id) AND (\"position\" > CASE"), "\(plan)")
    }

    @Test func aLookForOtherCommitsReadsOnlyTheBatchesSinceTheLastLook() async throws {
        let plan = try await plan(
            of: "batches (gen_random_uuid(), 9000)",
            after: [
                """
                INSERT INTO outcome (batch, writer, refusals)
                SELECT gen_random_uuid(), gen_random_uuid(), '[]' FROM generate_series(1, 10000)
                """,
                "ANALYZE outcome", "PREPARE batches (uuid, bigint) AS \(CommitProcedure.otherBatches)",
            ]
        )

        #expect(plan.contains("Index Cond: (number > "), "\(plan)")
        #expect(plan.contains("Index Scan Backward using outcome_number_key"), "\(plan)")
        #expect(!plan.contains("Seq Scan"), "\(plan)")
    }

    /// Returns the plan of a prepared statement in a store without data.
    private func plan(of call: String, after preparations: [String]) async throws -> String {
        try await withSchema { schema in
            try await PostgresStore(
                url: schema.url, entities: [Note.self], configuration: schema.configuration
            ).close()
            return try await schema.session { session in
                for statement in preparations { _ = try await session.run(statement, isPrepared: false) }
                let rows = try await session.run("EXPLAIN EXECUTE \(call)", isPrepared: false)
                return try rows.rows.map { try $0.text(0) }.joined(separator: "\n")
            }
        }
    }
}
#endif
