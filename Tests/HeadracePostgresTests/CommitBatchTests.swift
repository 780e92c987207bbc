// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceDomain
@testable import HeadracePostgres
import HeadraceStorage
import HeadraceTesting
import Testing

/// Batches of units of work that the server refuses, or that are too long for it.
@Suite(.needsServer, .timeLimit(.minutes(2))) struct CommitBatchTests {
    @Test func aLockOfAStrangerFailsAllUnitsOfABatchAfterOneWait() async throws {
        try await withCommitter(lockTimeout: .milliseconds(50)) { schema, committer, calls in
            try await schema.session { session in
                _ = try await session.run("BEGIN", isPrepared: false)
                _ = try await session.run("SELECT \(CommitProcedure.lock)", isPrepared: false)
                let plain = (0..<40).map { committer.unit("\($0)") }
                let working = (40..<50).map { committer.unit("\($0)", sql: "SELECT 1") }

                for units in [plain, plain + working, working] {
                    calls.change { $0 = 0 }
                    let outcomes = await committer.run(try units.map { try $0.get() }) { _, _ in }

                    #expect(outcomes.map(\.code) == units.map { _ in StoreError.Code.locked })
                    #expect(calls.value == 1)
                }
                _ = try await session.run("ROLLBACK", isPrepared: false)
            }
        }
    }

    @Test func aUnitWhoseSQLWaitsDelaysNoOtherUnitOfADividedBatch() async throws {
        try await withCommitter { schema, committer, _ in
            try await schema.session { session in
                _ = try await session.run("SELECT pg_advisory_lock(77)", isPrepared: false)
                let units = try [
                    committer.unit("a"), committer.unit("b", sql: "SELECT 1 / 0"),
                    committer.unit("c", sql: "SELECT pg_advisory_xact_lock(77)"),
                ].map { try $0.get() }
                let told = ConditionVariable<Set<Int>>([])
                async let outcomes = committer.run(units) { index, _ in told.change { $0.insert(index) } }

                // The third unit waits for the lock until the other two have their outcomes.
                await told.wait { $0 == [0, 1] }
                _ = try await session.run("SELECT pg_advisory_unlock(77)", isPrepared: false)

                #expect(await outcomes.map(\.isSuccess) == [true, false, true])
            }
        }
    }

    @Test func aBatchThatIsLostTwiceIsHalved() async throws {
        let folder = try #require(TestServer.folder)
        let proxy = try CuttingProxy(before: folder + "/.s.PGSQL.5432")
        defer { proxy.close() }
        let url = "postgresql://headrace@127.0.0.1:\(proxy.port)/postgres"
        // Before each of the first two calls.
        let cut: @Sendable (Int) -> Void = { call in if call <= 2 { proxy.arm(.cut(afterSent: 500_000)) } }
        try await withCommitter(url: url, beforeCall: cut) { _, committer, calls in
            let units = try (0..<8).map { try committer.unit("\($0)", padding: 100_000).get() }

            let outcomes = await committer.run(units) { _, _ in }

            #expect(outcomes.map(\.isSuccess) == Array(repeating: true, count: 8))
            #expect(proxy.faultCount == 2)
            #expect(calls.value == 4)
        }
    }

    @Test func aBatchEndsAtEightMebibytes() async throws {
        let batches = ConditionVariable<[Int]>([])
        try await withSchema { schema in
            var configuration = schema.configuration
            configuration.commitObserver = CountingObserver(batches)
            let store = try await PostgresStore(url: schema.url, entities: [Note.self], configuration: configuration)
            let padding = String(repeating: "x", count: 1 << 20)

            try await withThrowingTaskGroup { group in
                for number in 0..<40 {
                    group.addTask { try await store.commit(.note("\(number)", padding: padding)) }
                }
                try await group.waitForAll()
            }
        }
        #expect(batches.value.reduce(0, +) == 40)
        #expect(batches.value.allSatisfy { $0 < 8 })
    }

    @Test func aUnitThatIsTooLongForTheServerIsRefused() async throws {
        let reference = EntityReference(kind: "note", key: "long")
        let json = Data(count: TextLimit.messageLength + 1)
        let document = StoredDocument(reference: reference, version: 1, schemaVersion: 1, json: json)
        let numbers = PostgresSchemaIDs(kinds: ["note": PostgresSchemaIDs.Kind(id: 1, schemaVersion: 1)])

        let error = #expect(throws: StoreError.self) {
            try CommitUnit(ChangeSet(writes: [ChangeSet.Write(document: document)]), numbers: numbers)
        }

        #expect(error?.code == .tooLong)
    }

    @Test func aSlowMeasurementOfTheServersClockIsIgnored() {
        let (clock, begin) = (ServerClock(), Date(timeIntervalSince1970: 1_700_000_000))
        for (server, roundTrip, lead) in [(7.0, 10, 6.995), (9, 101, 6.995), (9, 100, 8.95)] {
            clock.note(begin.addingTimeInterval(server), after: begin, roundTrip: .milliseconds(roundTrip))
            #expect(abs(clock.lead - lead) < 0.000_1)
        }
    }

    // MARK: Support

    /// Runs `body` with a committer on a new schema, and the number of its calls.
    private func withCommitter(
        url: String? = nil,
        lockTimeout: Duration = .seconds(10),
        beforeCall: @escaping @Sendable (Int) -> Void = { _ in },
        _ body: (TestSchema, TestCommitter, ConditionVariable<Int>) async throws -> Void
    ) async throws {
        try await withSchema { schema in
            let store = try await schema.open()
            let thread = try PollingThread()
            defer { thread.stop() }
            let target = SessionTarget(
                url: url ?? schema.url, schema: schema.name, connectTimeout: 10, timeout: .seconds(60),
                lockTimeout: lockTimeout)
            let calls = ConditionVariable(0)
            let check = try await SchemaCheck.opened(schema)
            let committer = BatchCommitter(
                target: target,
                slot: SessionSlot { try await Session.connect(target, on: thread) },
                check: check,
                schema: try EntitySchema([Note.self]),
                writer: UUID(),
                mapper: PostgresErrorMapper(schema: schema.name),
                outcomeTimeout: .seconds(20)
            ) { point in
                guard point == .commitQueued else { return }
                calls.change { $0 += 1 }
                beforeCall(calls.value)
            }
            try await body(schema, TestCommitter(base: committer, numbers: check.numbers), calls)
            try store.close()
        }
    }
}

private struct TestCommitter: Sendable {
    let base: BatchCommitter
    let numbers: PostgresSchemaIDs

    /// A unit of work that inserts a note.
    func unit(_ key: String, padding: Int = 0, sql: String? = nil) -> Result<CommitUnit, any Error> {
        var changes = ChangeSet.note(key, padding: String(repeating: "x", count: padding))
        if let sql { changes.work = [StatementWork(sql: sql, arguments: [])] }
        return Result { try CommitUnit(changes, numbers: numbers) }
    }

    func run(
        _ units: [CommitUnit],
        early: @escaping @Sendable (Int, Result<Void, any Error>) -> Void
    ) async -> [Result<Void, any Error>] {
        await base.run(units, early: early)
    }
}

private struct CountingObserver: CommitObserver {
    let batches: ConditionVariable<[Int]>

    init(_ batches: ConditionVariable<[Int]>) {
        self.batches = batches
    }

    func committed(_ batch: CommitBatchStatistics) {
        batches.change { $0.append(batch.count) }
    }
}

extension Result<Void, any Error> {
    fileprivate var code: StoreError.Code? {
        if case .failure(let error as StoreError) = self { error.code } else { nil }
    }

    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
#endif
