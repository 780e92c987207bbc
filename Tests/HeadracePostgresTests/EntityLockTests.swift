// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceCore
import HeadraceDomain
@testable import HeadracePostgres
import HeadraceStorage
import HeadraceTesting
import Testing

/// Locks of entities that several processes respect.
@Suite(.needsServer, .timeLimit(.minutes(2))) struct EntityLockTests {
    /// Opens two stores with the notes "a" and "b".
    private nonisolated(nonsending) func withStores(
        _ change: (inout PostgresStore.Configuration) -> Void = { _ in },
        _ body: nonisolated(nonsending) (_ schema: TestSchema, _ stores: [PostgresStore]) async throws -> Void
    ) async throws {
        try await withSchema { schema in
            var configuration = schema.configuration
            change(&configuration)
            var stores: [PostgresStore] = []
            for _ in 0..<2 {
                stores.append(
                    try await PostgresStore(url: schema.url, entities: [Note.self], configuration: configuration))
            }
            try await stores[0].execute { context in
                for id in ["a", "b"] { context.insert(Note(id)) }
            }
            try await body(schema, stores)
            for store in stores { try? store.close() }
        }
    }

    @Test(arguments: [1, 4])
    func unitsOfWorkOfTwoStoresThatLockTheEntityThatTheyChangeNeverConflict(lockerCount: Int) async throws {
        try await withStores {
            $0.lockerCount = lockerCount
        } _: { _, stores in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<32 {
                    group.addTask {
                        for _ in 0..<10 { try await stores[number % 2].addOne(to: "a") }
                    }
                }
                try await group.waitForAll()
            }

            #expect(try await stores[0].size(of: "a") == 320)
        }
    }

    @Test func theDefaultRetriesOfTwoStoresThatChangeOneEntityAllSucceed() async throws {
        try await withStores { _, stores in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for store in stores {
                    group.addTask {
                        let chain = MiddlewareChain(middleware: [RetryMiddleware()])
                        for number in 0..<150 {
                            try await chain.run(number, kind: .command) { _ in
                                try await store.execute { try await $0.find(Note.self, id: "a")?.size += 1 }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }

            #expect(try await stores[0].size(of: "a") == 300)
        }
    }

    @Test func ofTwoStoresThatWaitForEachOthersLocksOneFailsAndCanBeRetried() async throws {
        try await withStores { _, stores in
            let gates = [Gate(), Gate()]
            let outcomes = await withTaskGroup(of: Result<Void, any Error>.self) { group in
                for number in 0..<2 {
                    group.addTask {
                        await Result {
                            try await stores[number].execute { context in
                                let ids = number == 0 ? ["a", "b"] : ["b", "a"]
                                try await context.find(Note.self, id: ids[0], for: .update)?.size += 1
                                gates[number].open()
                                await gates[1 - number].pass()
                                try await context.find(Note.self, id: ids[1], for: .update)?.size += 1
                            }
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }

            let errors = outcomes.compactMap { $0.error as? StoreError }
            #expect(errors.map(\.code) == [.locked])
            #expect(errors.allSatisfy { $0.isConflict && $0.entity != nil })
            #expect(try await stores[0].size(of: "a") == 1)
            try await stores[1].addOne(to: "a")
            try await stores[0].addOne(to: "b")
            #expect(try await stores[0].size(of: "b") == 2)
        }
    }

    @Test func aLockOfAnotherStoreIsWaitedForUntilTheLimitAndACancelledWaiterLeavesAtOnce() async throws {
        try await withStores {
            $0.lockTimeout = .milliseconds(200)
        } _: { _, stores in
            let gate = Gate()
            async let holder: Void = stores[0].execute { context in
                try await context.find(Note.self, id: "a", for: .update)?.size += 1
                await gate.pass()
            }
            await gate.arrivals(1)

            let error = await #expect(throws: StoreError.self) { try await stores[1].addOne(to: "a") }
            #expect(error?.code == .locked)
            #expect(error?.isRetryable == true && error?.isConflict == false)
            let cancelled = Task { try await stores[1].addOne(to: "a") }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            // A writer without a lock doesn't wait, and the holder conflicts with it.
            try await stores[1].execute { try await $0.find(Note.self, id: "b")?.size += 1 }

            gate.open()
            try await holder
            try await stores[1].addOne(to: "a")
            #expect(try await stores[0].size(of: "a") == 2)
        }
    }

    @Test(arguments: [true, false])
    func aLockWorksAfterTheServerHasEndedAConnection(isInUse: Bool) async throws {
        try await withStores { _, stores in
            try await withSchema { schema in
                // The number of an advisory lock is in two columns.
                let key = PostgresLocks.key(of: EntityReference(kind: "note", key: "a"), in: stores[0].target.schema)
                let holder =
                    "FROM pg_locks WHERE classid::bigint = \(key >> 32 & 0xffff_ffff) AND objid::bigint = \(key & 0xffff_ffff)"
                var process: Int64?
                try await stores[0].execute { context in
                    try await context.find(Note.self, id: "a", for: .update)?.size += 1
                    process = try await schema.run("SELECT pid::bigint \(holder)").first?.integer(0)
                    if isInUse { try await schema.run("SELECT pg_terminate_backend(pid) \(holder)") }
                }
                let ended = try #require(process)
                if !isInUse { try await schema.run("SELECT pg_terminate_backend(\(ended))") }

                try await stores[0].addOne(to: "a")
            }
            #expect(try await stores[0].size(of: "a") == 2)
        }
    }

    @Test func aClosedStoreLocksNothing() async throws {
        try await withStores { _, stores in
            try stores[1].close()

            let error = await #expect(throws: StoreError.self) { try await stores[1].addOne(to: "a") }

            #expect(error?.code == .closed)
        }
    }

    /// Each version of Headrace must compute the same number.
    @Test func theNumberOfALockIsStable() {
        let reference = EntityReference(kind: "note", key: "a")

        #expect(PostgresLocks.key(of: reference, in: "headrace") == 1452096123999642843)
        #expect(PostgresLocks.key(of: reference, in: "other") != PostgresLocks.key(of: reference, in: "headrace"))
    }
}

extension PostgresStore {
    nonisolated(nonsending) func execute(
        _ body: nonisolated(nonsending) (EntityContext) async throws -> Void
    ) async throws {
        try await UnitOfWork(on: self, delegator: RecordingDelegator()).execute(body)
    }

    /// Reads, changes, and writes a note that it locks.
    nonisolated(nonsending) func addOne(to id: String) async throws {
        try await execute { try await $0.find(Note.self, id: id, for: .update)?.size += 1 }
    }

    nonisolated(nonsending) func size(of id: String) async throws -> Int? {
        try await EntityContext(self).find(Note.self, id: id)?.size
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: nonisolated(nonsending) () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }

    fileprivate var error: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }
}
#endif
