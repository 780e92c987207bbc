// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceDomain
@testable import HeadracePostgres
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import Testing

/// The arguments that the functions for clients accept, and the roles that can call them.
@Suite(.needsServer, .timeLimit(.minutes(2))) struct StagingRightsTests {
    private typealias Refusal = StagedMessages.Refusal

    private static let refused: [(call: String, refusal: Refusal)] = [
        ("raise('', '{}')", .name), ("raise(NULL, '{}')", .name), ("send(repeat('é', 501), '{}')", .name),
        ("raise('a', '{}', version => 0)", .version), ("send('a', '{}', NULL)", .version),
        ("raise('a', NULL::text)", .document), ("raise('a', '')", .document), ("raise('a', '{')", .document),
        ("raise('a', '{\"a\":1}}')", .document), ("raise('a', '{\"a\":\"\\u12\"}')", .document),
        ("raise('a', NULL::jsonb)", .document), ("raise('a', repeat('[', 100000))", .document),
        ("raise('a', '{}', 'order')", .stream), ("raise('a', '{}', stream_key => 'a')", .stream),
        ("raise('a', '{}', 'order', repeat('a', 1001))", .stream),
        ("schedule('a', '{}', 'infinity')", .time), ("schedule('a', '{}', NULL)", .time),
        ("raise('a', '{}', origin => '[]')", .origin), ("raise('a', '{}', origin => 'x')", .origin),
        ("raise('a', '{}', origin => '\"x\"')", .origin),
        ("raise('a', '{}', origin => '{\"causationID\":\"x\"}')", .origin),
        ("raise('a', '{}', origin => '{\"principalID\":1}')", .origin),
        ("raise('a', '{}', origin => '{\"trace\":{\"a\":1}}')", .origin),
        ("raise('a', '{}', origin => '{\"trace\":[]}')", .origin), ("cancel('x')", .id), ("cancel(NULL::text)", .id),
    ]

    @Test func mistakesFailTheTransactionOfTheClientWithTheRemedy() async throws {
        try await withBench { bench in
            try await bench.schema.session { session in
                for (call, refusal) in Self.refused {
                    let failure = await #expect(throws: PostgresFailure.self, "\(call)") {
                        try await session.run("SELECT \(call)", isPrepared: false)
                    }
                    guard case .refused(let state, _, _) = failure else { continue }
                    #expect(state == refusal.rawValue, "\(call): \(String(describing: failure))")
                }
                _ = try await session.run(
                    """
                    DO $$ DECLARE v_hint text; BEGIN
                        PERFORM raise('a', '{', 'order', 'a');
                    EXCEPTION WHEN OTHERS THEN
                        GET STACKED DIAGNOSTICS v_hint = PG_EXCEPTION_HINT;
                        IF v_hint NOT LIKE 'To fix, %' THEN RAISE EXCEPTION '%', v_hint; END IF;
                    END $$
                    """, isPrepared: false)
            }
            #expect(try await bench.drain() == [])
        }
    }

    @Test func documentsStayAsTheyAre() async throws {
        try await withBench { bench in
            let documents = [
                #"{"a":"\u0000","b":1.00}"#, " [1, 2]\n", "5", "\"é\"", #"{"a":1,"a":2}"#,
                #"{"\ud83d\ude00":"\ud800"}"#,
                #"{"a":"\#(String(repeating: "x", count: 1 << 20))"}"#,
            ]
            for document in documents {
                try await bench.schema.session { session in
                    _ = try await session.run("SELECT raise('a', $1)", [.text(Array(document.utf8))])
                }
            }
            #expect(try await bench.drain() == documents)
        }
    }

    @Test func theOriginOfAClientReachesTheHandler() async throws {
        try await withBench { bench in
            let id = "0197A5B2-0000-7000-8000-00000000000A"
            try await bench.schema.run(
                "SELECT raise('a', '{}', origin => '{}')",
                "SELECT raise('a', '{}', origin => '{\"trace\":null,\"other\":1}')",
                """
                SELECT raise(
                    'a', '{}', origin => '{"causationID":"\(id.lowercased())","principalID":"é","trace":{"a":"b"}}'
                )
                """)

            let leased = try await bench.store.lease(
                LeaseRequest(
                    subscriptions: [ScheduledMessage.subscription], laneLimit: 9, batchLimit: 1,
                    now: Date(timeIntervalSince1970: 1_700_000_000), duration: .seconds(10)))

            let last = MessageOrigin(causationID: UUID(uuidString: id), principalID: "é", trace: ["a": "b"])
            #expect(leased.lanes.map { $0[0].content.message?.origin } == [.unknown, .unknown, last])
        }
    }

    @Test func identifiersAreUUIDsOfVersion7ThatAscend() async throws {
        try await withBench { bench in
            let start = Date()
            let ids = try await bench.schema.session { session in
                var ids: [String] = []
                for _ in 0..<50 {
                    ids.append(try await session.run("SELECT raise('a', '{}')").first?.id(0).uuidString ?? "")
                }
                return ids
            }
            #expect(ids == ids.sorted())
            let form = /.{14}7.{4}[89AB].{16}/
            #expect(ids.allSatisfy { $0.wholeMatch(of: form) != nil })
            let time = try #require(Int64(ids[0].replacing("-", with: "").prefix(12), radix: 16))
            #expect(abs(Date(milliseconds: time).timeIntervalSince(start)) < 60)
        }
    }

    @Test func aRoleWithTwoRightsRaisesAndSendsAndDoesNothingElse() async throws {
        try await withBench { bench in
            let name = bench.name
            try await bench.schema.run(bench.raise(0, of: "before"))
            try await withRole { role in
                let client = TestSchema(
                    url: bench.schema.url.replacing("headrace@", with: "\(role)@"), name: bench.schema.name)
                await #expect(throws: PostgresFailure.self) { try await client.run(bench.raise(1, of: "a")) }
                try await bench.schema.run("GRANT USAGE ON SCHEMA \(name) TO \"\(role)\"")
                await #expect(throws: PostgresFailure.self) { try await client.run(bench.raise(1, of: "a")) }
                try await bench.schema.run("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA \(name) TO \"\(role)\"")

                try await client.run(
                    bench.raise(1, of: "a"), "SELECT \(name).send('charge-order', '{}'::jsonb)",
                    "SELECT \(name).cancel(\(name).schedule('charge-order', '{}', now()))")
                let tables = try await bench.schema.run(
                    "SELECT tablename::text FROM pg_tables WHERE schemaname = $$\(bench.schema.name)$$")
                for table in try tables.rows.map({ try $0.text(0) }) {
                    for sql in ["SELECT FROM \(name).\(table)", "DELETE FROM \(name).\(table)"] {
                        await requireRefusal(sql, by: client)
                    }
                }
                let effects = [
                    "SELECT \(name).move_staged(9, 9, 9)", "SELECT \(name).cancel(ARRAY[gen_random_uuid()])",
                    "SELECT \(name).prune(9, 9, 9)", "SELECT \(name).set_pause('a', 1)",
                    "SELECT \(name).discard_dead_letters(ARRAY[1])", "SELECT nextval('\(name).staged_number')",
                    "SELECT \(name).stage('event', 'a', '{}', true, NULL, NULL, 1, false, NULL, NULL, NULL)",
                    "SELECT \(name).stage_cancellation(gen_random_uuid()::text)",
                    "CALL \(name).renew_leases(NULL, NULL, ARRAY[1]::bigint[], ARRAY[1]::bigint[], 1, NULL)",
                    "INSERT INTO \(name).staged (kind, message) VALUES ('cancellation', gen_random_uuid())",
                    "CREATE TABLE \(name).mine ()",
                ]
                for sql in effects { await requireRefusal(sql, by: client) }
            }
            #expect(try await bench.drain().count == 3)
        }
    }

    /// Objects with the names of the store's, and of the server's, in the schemas that the client searches first.
    @Test func aSearchPathOfTheClientFoolsNoFunction() async throws {
        try await withBench { bench in
            let name = bench.name
            try await withSchema { hostile in
                try await bench.schema.session { session in
                    let statements = [
                        "CREATE SCHEMA \(hostile.quotedName)",
                        "SET search_path = \(hostile.quotedName), pg_temp, pg_catalog",
                        "CREATE TEMP TABLE staged (LIKE \(name).staged)",
                        "CREATE TABLE \(hostile.quotedName).staged (LIKE \(name).staged)",
                        """
                        CREATE FUNCTION \(hostile.quotedName).stage(
                            text, text, text, boolean, text, text, bigint, boolean, timestamptz, text, uuid
                        ) RETURNS uuid LANGUAGE sql AS 'SELECT NULL::uuid'
                        """,
                        """
                        CREATE FUNCTION \(hostile.quotedName).pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS
                        'BEGIN RAISE EXCEPTION ''fooled''; END'
                        """,
                        """
                        CREATE FUNCTION \(hostile.quotedName).octet_length(text) RETURNS int LANGUAGE plpgsql AS
                        'BEGIN RAISE EXCEPTION ''fooled''; END'
                        """,
                        bench.raise(1, of: "a"), "SELECT \(name).cancel(gen_random_uuid())",
                    ]
                    for sql in statements { _ = try await session.run(sql, isPrepared: false) }
                }
                #expect(try await hostile.run("SELECT count(*) FROM staged").first?.integer(0) == 0)
            }
            #expect(try await bench.drain().count == 1)
        }
    }

    private func requireRefusal(_ sql: String, by client: TestSchema) async {
        let failure = await #expect(throws: PostgresFailure.self, "\(sql)") { try await client.run(sql) }
        guard case .refused(let state, let message, _) = failure else { return }
        #expect(state == "42501", "\(sql): \(message)")
    }

    private func withRole(_ body: (String) async throws -> Void) async throws {
        let server = TestSchema(url: try #require(TestServer.url), name: "public")
        let role = "client-\(UUID().uuidString.lowercased())"
        try await server.run("CREATE ROLE \"\(role)\" LOGIN")
        try await body(role)
        try await server.run("DROP OWNED BY \"\(role)\"", "DROP ROLE \"\(role)\"")
    }
}
#endif
