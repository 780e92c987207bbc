// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceDomain
import HeadracePostgres
import HeadraceStorage
import HeadraceStoreContract
import Testing

@Suite(.needsServer, .needsPooler, .timeLimit(.minutes(5))) struct PoolerTests {
    /// Other clients of the pooler use the same connections, and each is reset after each transaction.
    @Test func aStoreBehindAPoolerKeepsTheContract() async throws {
        let pooler = try await Pooler()
        defer { pooler.stop() }
        let capabilities = StoreContract.Capabilities(isPersistent: true, isShared: true, longestKey: 1_000)
        // Each ninth check, because all of them run without a pooler too.
        for (number, check) in StoreContract.checks(for: capabilities).enumerated() where number % 9 == 0 {
            try await withSchema { schema in
                var configuration = schema.configuration
                configuration.isPooled = true
                try await check.run { [configuration] entities in
                    try await PostgresStore(url: pooler.url, entities: entities, configuration: configuration)
                }
            }
        }
    }

    @Test func storesOnTwoSchemasShareThePooler() async throws {
        let pooler = try await Pooler(size: 4)
        defer { pooler.stop() }
        try await withSchema { one in
            try await withSchema { two in
                let stores = (try await open(one, pooler), try await open(two, pooler))
                try await withThrowingTaskGroup { group in
                    for number in 0..<40 {
                        group.addTask { try await stores.0.commit(.note("\(number)")) }
                        group.addTask { try await stores.1.commit(.note("\(number)", for: "a")) }
                    }
                    try await group.waitForAll()
                }
                let snapshot = try await stores.0.snapshot()
                try await stores.0.commit(.note("late"))

                #expect(try await stores.0.events(after: 0, limit: 99).count == 41)
                #expect(try await stores.1.events(after: 0, limit: 99).count == 40)
                #expect(try await snapshot.events(after: 0, limit: 99).count == 40)
            }
        }
    }

    @Test func unitsOfWorkBehindAPoolerThatLockAnEntityNeverConflict() async throws {
        let pooler = try await Pooler(size: 6)
        defer { pooler.stop() }
        try await withSchema { schema in
            let stores = [try await open(schema, pooler), try await open(schema, pooler)]
            try await stores[0].execute { $0.insert(Note("a")) }

            try await withThrowingTaskGroup { group in
                for number in 0..<16 {
                    group.addTask { for _ in 0..<5 { try await stores[number % 2].addOne(to: "a") } }
                }
                try await group.waitForAll()
            }

            #expect(try await stores[0].size(of: "a") == 80)
        }
    }

    @Test func aPooledDatabaseWithAnotherIsolationLevelIsRefused() async throws {
        try await withDatabase(settings: ["default_transaction_isolation = 'serializable'"]) { url in
            var configuration = PostgresStore.Configuration()
            configuration.isPooled = true

            let error = await #expect(throws: StoreError.self) {
                try await PostgresStore(url: url, entities: [Note.self], configuration: configuration)
            }

            #expect(error?.code == .unusable)
            #expect(error?.message.contains("default_transaction_isolation") == true)
        }
    }

    private func open(_ schema: TestSchema, _ pooler: Pooler) async throws -> PostgresStore {
        var configuration = schema.configuration
        configuration.isPooled = true
        configuration.lockerCount = 1
        return try await PostgresStore(url: pooler.url, entities: [Note.self], configuration: configuration)
    }
}
#endif
