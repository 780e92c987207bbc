// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
@testable import HeadracePostgres
import HeadraceStorage
import HeadraceStoreContract
import Testing

/// Sessions and databases of other people.
@Suite(.needsServer, .timeLimit(.minutes(3))) struct HostileSessionTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test(arguments: [
        "LOCK TABLE entity IN ACCESS EXCLUSIVE MODE",
        // Idle in a transaction that holds the lock of the writers.
        "SELECT \(CommitProcedure.lock)",
    ])
    func aSessionThatHoldsALockDelaysCommitsUntilTheirLimit(statement: String) async throws {
        try await withSchema { schema in
            let store = try await schema.open()
            var configuration = schema.configuration
            configuration.lockTimeout = .milliseconds(50)
            let hasty = try await PostgresStore(url: schema.url, entities: [Note.self], configuration: configuration)
            try await schema.session { session in
                _ = try await session.run("BEGIN", isPrepared: false)
                _ = try await session.run(statement, isPrepared: false)

                let error = await #expect(throws: StoreError.self) { try await hasty.commit(.note("a")) }
                async let patient: Void = store.commit(.note("b"))

                #expect(error?.code == .locked)
                _ = try await session.run("ROLLBACK", isPrepared: false)
                try await patient
            }
            try await hasty.commit(.note("a"))
            #expect(try await store.events(after: 0, limit: 9).count == 2)
        }
    }

    @Test func aSnapshotOfMinutesDelaysNothing() async throws {
        try await withSchema { schema in
            let store = try await schema.open()
            let snapshot = try await store.snapshot()

            var handled = 0
            for round in 0..<20 {
                for number in 0..<5 { try await store.commit(.note("\(round) \(number)", for: "a")) }
                let leased = try await store.lease(
                    LeaseRequest(
                        subscriptions: ["a"], laneLimit: 9, batchLimit: 9, now: Self.now, duration: .seconds(10)))
                handled += leased.lanes.count
                let refused = try await store.settle(
                    leased.lanes.flatMap(\.self).map {
                        Settlement(lease: $0.lease, acknowledged: [$0.position], end: .finished(now: Self.now))
                    })
                #expect(refused.isEmpty)
            }

            #expect(handled == 100)
            #expect(try await snapshot.events(after: 0, limit: 9).isEmpty)
        }
    }

    @Test func aReplayIsLeasedAlthoughItsLanesAreOlderThanTheLast() async throws {
        try await withSchema { schema in
            let (store, other) = (try await schema.open(), try await schema.open())
            for number in 0..<3 { try await store.commit(.note("\(number)", for: "a")) }
            func lease() async throws -> [Delivery] {
                let request = LeaseRequest(
                    subscriptions: ["a"], laneLimit: 9, batchLimit: 9, now: Self.now, duration: .seconds(10))
                return try await store.lease(request).lanes.flatMap(\.self)
            }

            let first = try await lease()
            let none = try await lease()
            // The lanes exist, and a replay makes them new again.
            _ = try await other.replay("a", eventsNamed: ["note-inserted"], after: 0)
            let again = try await lease()

            #expect(first.count == 3)
            #expect(none.isEmpty)
            #expect(again.map(\.lease.lane) == first.map(\.lease.lane))
        }
    }

    @Test func commitsGoOnDuringAFullVacuum() async throws {
        try await withSchema { schema in
            let store = try await schema.open()
            try await withThrowingTaskGroup { group in
                group.addTask {
                    for table in ["entity", "event", "lane", "delivery", "outcome", "index_entry"] {
                        try await schema.run("VACUUM FULL \(table)")
                    }
                }
                for caller in 0..<4 {
                    group.addTask {
                        for number in 0..<25 { try await store.commit(.note("\(caller) \(number)", for: "a")) }
                    }
                }
                try await group.waitForAll()
            }

            #expect(try await store.events(after: 0, limit: 200).count == 100)
        }
    }

    @Test func aDatabaseWithOtherDefaultsKeepsTheContract() async throws {
        let settings = [
            "default_transaction_isolation = 'serializable'", "synchronous_commit = 'off'", "bytea_output = 'escape'",
            "standard_conforming_strings = 'off'", "DateStyle = 'German'", "TimeZone = 'Asia/Kathmandu'",
            "statement_timeout = '1s'", "search_path = ''", "extra_float_digits = 0", "array_nulls = 'off'",
            "enable_indexscan = 'off'", "IntervalStyle = 'sql_standard'", "row_security = 'off'",
        ]
        let capabilities = StoreContract.Capabilities(isPersistent: true, isShared: true, longestKey: 1_000)
        let options = "ENCODING UTF8 LOCALE_PROVIDER icu ICU_LOCALE 'de-DE' LOCALE 'C'"
        try await withDatabase(options, settings: settings) { url in
            // Each ninth check, because all of them run with the usual defaults too.
            for (number, check) in StoreContract.checks(for: capabilities).enumerated() where number % 9 == 1 {
                var configuration = PostgresStore.Configuration()
                configuration.schema = "check \(number)"
                try await check.run { [configuration] entities in
                    try await PostgresStore(url: url, entities: entities, configuration: configuration)
                }
            }
        }
    }

    @Test func aDatabaseWithoutUTF8IsRefused() async throws {
        try await withDatabase("ENCODING SQL_ASCII LOCALE 'C'") { url in
            let error = await #expect(throws: StoreError.self) {
                try await PostgresStore(url: url, entities: [Note.self])
            }

            #expect(error?.code == .unusable)
        }
    }

    @Test func aDatabaseThatIsReadOnlyIsRefused() async throws {
        try await withDatabase(settings: ["default_transaction_read_only = 'on'"]) { url in
            let error = await #expect(throws: StoreError.self) {
                try await PostgresStore(url: url, entities: [Note.self])
            }

            #expect(error?.code == .unusable)
        }
    }
}
#endif
