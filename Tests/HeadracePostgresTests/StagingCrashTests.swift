// SPDX-License-Identifier: Apache-2.0

#if Postgres && SQLite
import DomainTestSupport
import Foundation
import HeadraceCore
import HeadraceDomain
@testable import HeadracePostgres
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

/// Kills relays and servers while other clients raise events: the events that take effect are those of the committed rows.
@Suite(.needsServer, .enabled(if: TestProgram.folder != nil), .serialized, .timeLimit(.minutes(10)))
struct StagingCrashTests {
    private static let points = ["after-lease", "after-handler", "before-acknowledge", "commit-queued", "after-commit"]

    @Test(arguments: points)
    func relaysThatAreKilledLoseAndRepeatNoStagedEvent(point: String) async throws {
        try await withDatabase { url in
            let schema = TestSchema(url: url, name: "headrace")
            try await PostgresStore(url: url, entities: [Note.self]).close()
            for life in 0..<4 {
                // Each third transaction is rolled back.
                try await schema.run(
                    """
                    DO $$ BEGIN
                        FOR v_number IN \(life * 10 + 1)..\(life * 10 + 10) LOOP
                            FOR v_account IN 0..7 LOOP
                                PERFORM raise('deposited', json_build_object('account', v_account::text, 'number', v_number),
                                    'account', v_account::text);
                                BEGIN
                                    IF v_number % 3 > 0 THEN CONTINUE; END IF;
                                    PERFORM raise('deposited', json_build_object('account', v_account::text, 'number', 0),
                                        'account', v_account::text);
                                    RAISE EXCEPTION 'no';
                                EXCEPTION WHEN raise_exception THEN
                                END;
                            END LOOP;
                        END LOOP;
                    END $$
                    """)
                let passes = 1 + life * 3
                let subject = try CrashSubject.start("relay", url, "0", at: life < 3 ? point : nil, pass: passes)
                let lines = try await subject.linesToEnd()
                if life < 3 {
                    #expect(await subject.wasKilled, "\(point) was not passed \(passes) times")
                } else {
                    #expect(lines.last == "done")
                }
            }

            let mirrors = try await schema.run(
                """
                SELECT document::json->>'count' || ' ' || json_array_length(document::json->'mistakes')
                FROM entity JOIN entity_kind ON entity_kind.id = kind WHERE name = 'mirror'
                """)
            #expect(try mirrors.rows.map { try $0.text(0) } == Array(repeating: "40 0", count: 8))
            for table in ["staged", "scheduled_message", "delivery", "dead_letter"] {
                #expect(try await schema.run("SELECT count(*) FROM \(table)").first?.integer(0) == 0, "\(table)")
            }
        }
    }

    /// Servers that are killed at random moments, while four clients commit and roll back, and two relays run.
    @Test(arguments: [7] as [UInt64])
    func serversThatAreKilledLoseAndRepeatNoStagedEvent(seed: UInt64) async throws {
        let server = try await RestartableServer(settings: ["wal_writer_delay=10s", "wal_writer_flush_after=1GB"])
        defer { server.kill() }
        let schema = TestSchema(url: RestartableServer.url(server), name: "headrace")
        let bench = try await StagingBench(schema)
        try await schema.run("CREATE TABLE ordered (client text, number bigint)")
        let progress = DeliverySignal()
        let relays = (0..<2).map { _ in
            bench.relay(on: ReportingStore(bench.store, progress), pollInterval: .milliseconds(50))
        }
        var random = SeededGenerator(seed: seed)

        try await withThrowingTaskGroup { group in
            for relay in relays { group.addTask { try await relay.run() } }
            for round in 0..<9 {
                let commits = StagingDesk()
                let last = round == 8 ? nil : Int.random(in: 1...60, using: &random)
                let seeds = (0..<4).map { _ in random.next() }
                async let written: Void = withTaskGroup { writers in
                    for (client, seed) in seeds.enumerated() {
                        writers.addTask {
                            await write(as: client, round: round, seed: seed, on: bench, commits)
                        }
                    }
                }
                if let last {
                    await commits.wait(for: last)
                    server.kill()
                    try await server.start()
                }
                await written
            }
            while true {
                let seen = progress.position
                if try await bench.store.deliveryStatistics().pendingCount == 0 { break }
                try await progress.wait(after: seen)
            }
            for relay in relays { relay.shutDown() }
            try await group.waitForAll()
        }

        let rows = try await schema.run("SELECT client, number FROM ordered ORDER BY client, number")
        let ordered = try rows.rows.map { "\(try $0.text(0)) \(try $0.integer(1))" }
        var entered: [String] = []
        for client in 0..<4 { entered += try await bench.numbers(of: "\(client)").map { "\(client) \($0)" } }
        #expect(entered == ordered)
        #expect(Set(bench.desk.lines) == Set(ordered))
        #expect(ordered.count > 100)
        try bench.store.close()
    }

    /// Commits and rolls back transactions until the server is killed; some roll back to a savepoint.
    private func write(
        as client: Int,
        round: Int,
        seed: UInt64,
        on bench: StagingBench,
        _ commits: StagingDesk
    ) async {
        var random = SeededGenerator(seed: seed)
        // The error is the kill of the server. The table tells whether the last transaction is committed.
        try? await bench.schema.session { session in
            for index in 1...40 {
                let number = round * 100 + index
                var statements = [
                    "BEGIN", "INSERT INTO ordered VALUES ('\(client)', \(number))",
                    bench.raise(number, of: "\(client)"),
                ]
                if Int.random(in: 0..<4, using: &random) == 0 {
                    statements += ["SAVEPOINT s", bench.raise(-number, of: "\(client)"), "ROLLBACK TO s"]
                }
                let isCommitted = Int.random(in: 0..<5, using: &random) > 0
                statements.append(isCommitted ? "COMMIT" : "ROLLBACK")
                for statement in statements { _ = try await session.run(statement, isPrepared: false) }
                commits.note("\(number)")
            }
        }
        // The server has been killed, or the client is done: the round needs no further commits of it.
        for _ in 0..<40 { commits.note("end") }
    }
}

/// Reports each answer.
private final class ReportingStore: StoreDecorator {
    let base: any DeliveryStore
    private let progress: DeliverySignal

    init(_ base: any DeliveryStore, _ progress: DeliverySignal) {
        self.base = base
        self.progress = progress
    }

    func commit(_ changes: ChangeSet) async throws {
        defer { progress.notify() }
        try await base.commit(changes)
    }

    func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        defer { progress.notify() }
        return try await base.lease(request)
    }

    func settle(_ settlements: [Settlement]) async throws -> [Lease] {
        defer { progress.notify() }
        return try await base.settle(settlements)
    }
}
#endif
