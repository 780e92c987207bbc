// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
@testable import HeadracePostgres
import HeadraceStorage
import Testing

/// Commits through a proxy that cuts connections and withholds answers.
@Suite(.needsServer, .enabled(if: TestServer.folder != nil), .timeLimit(.minutes(3))) struct LostAnswerTests {
    @Test func aCommitWhoseAnswerIsLostIsStoredOnce() async throws {
        try await withProxy { proxy, store, direct in
            // The first connection of a store is for commits.
            proxy.arm(.loseAnswer, for: 0)
            for round in 0..<20 {
                try await store.commit(.note("\(round)"))
                proxy.arm(.loseAnswer)
            }

            #expect(proxy.faultCount == 20)
            try await requireNotes(20, in: direct)
        }
    }

    @Test func aCommitThatIsCutAtAnyByteIsStoredOnce() async throws {
        try await withProxy { proxy, store, direct in
            var rounds = 0
            // A call has some thousand bytes; in the last rounds, the commit succeeds before the cut.
            for count in stride(from: 0, to: 5_600, by: 29) {
                proxy.arm(.cut(afterSent: count), for: rounds == 0 ? 0 : nil)
                try await store.commit(.note("\(rounds)"))
                rounds += 1
                if proxy.faultCount < rounds { break }
            }

            #expect(proxy.faultCount > 50)
            try await requireNotes(rounds, in: direct)
        }
    }

    @Test func eachUnitOfABatchWhoseAnswerIsLostReceivesItsOutcome() async throws {
        try await withProxy { proxy, store, direct in
            try await store.commit(.note("taken"))
            proxy.arm(.loseAnswer, for: 0)

            let outcomes = try await withThrowingTaskGroup(of: (Int, StoreError.Code?).self) { group in
                for number in 0..<60 {
                    group.addTask {
                        do {
                            // Each third insertion is refused.
                            try await store.commit(.note(number % 3 == 0 ? "taken" : "\(number)"))
                            return (number, nil)
                        } catch let error as StoreError {
                            return (number, error.code)
                        }
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }

            #expect(proxy.faultCount == 1)
            #expect(Set(outcomes.keys) == Set((0..<60).filter { $0 % 3 == 0 }))
            #expect(Set(outcomes.values) == [.alreadyExists])
            try await requireNotes(41, in: direct)
        }
    }

    @Test func aBatchWithATombstoneIsNeverStored() async throws {
        try await withSchema { schema in
            let store = try await schema.open()
            let check = try await SchemaCheck.opened(schema)
            let unit = try CommitUnit(.note("late"), numbers: check.numbers)
            let batch = UUID()
            try await schema.run("INSERT INTO outcome (batch, writer) VALUES ('\(batch)', '\(UUID())')")
            let values: [PostgresValue] = [
                .id(batch), .id(UUID()), .integer(check.state.generation), .flag(true), .flag(false), .text(nil),
                .text(nil),
                .flag(true),
            ]
            let arguments = try CommitArguments([unit], numbers: check.numbers)

            await #expect(throws: PostgresFailure.self) {
                try await schema.session {
                    try await $0.run(
                        CommitProcedure.call(in: schema.quotedName), values + arguments.values(undeclared: []))
                }
            }

            #expect(try await store.find(EntityReference(kind: "note", key: "late")) == nil)
            #expect(try await store.events(after: 0, limit: 9).isEmpty)
        }
    }

    @Test func aCommitThatLosesItsServerIsUnknownAndTheNextCommitIsNotSent() async throws {
        try await withProxy(outcomeTimeout: .milliseconds(200)) { proxy, store, direct in
            proxy.close()
            proxy.arm(.cut(afterSent: 0), for: 0)

            let first = await #expect(throws: StoreError.self) { try await store.commit(.note("a")) }
            let second = await #expect(throws: StoreError.self) { try await store.commit(.note("b")) }

            #expect(first?.code == .outcomeUnknown)
            #expect(second?.code == .unreachable)
            try await requireNotes(0, in: direct)
        }
    }

    /// Cuts and withheld answers on all connections, in the middle of concurrent commits, reads, and leases.
    @Test func noCommitIsToldWronglyWhileConnectionsAreCut() async throws {
        let cuts = Int(ProcessInfo.processInfo.environment["HEADRACE_POSTGRES_CUTS"] ?? "") ?? 60
        try await withProxy { proxy, store, direct in
            let told = try await withThrowingTaskGroup(of: Set<String>.self) { group in
                for caller in 0..<6 {
                    group.addTask {
                        var keys: Set<String> = []
                        var number = 0
                        while proxy.faultCount < cuts {
                            let key = "\(caller) \(number)"
                            number += 1
                            do {
                                try await store.commit(.note(key, for: "a"))
                                keys.insert(key)
                            } catch let error as StoreError where error.code == .unreachable {
                                // The fault was in a new connection, and the commit must not be stored.
                            }
                            // A read is repeated once, so two faults can still make it fail.
                            _ = try? await store.events(after: 0, limit: 3)
                            _ = try? await store.renew([], until: .distantFuture)
                        }
                        return keys
                    }
                }
                group.addTask {
                    var random = SystemRandomNumberGenerator()
                    while proxy.faultCount < cuts {
                        let isCut = Bool.random(using: &random)
                        let fault = isCut ? CuttingProxy.Fault.cut(afterSent: .random(in: 0..<9_000)) : .loseAnswer
                        await proxy.armNext(fault)
                    }
                    return []
                }
                return try await group.reduce(into: Set<String>()) { $0.formUnion($1) }
            }

            let stored = try await direct.events(after: 0, limit: .max).compactMap(\.event.stream?.key)
            #expect(stored.count == Set(stored).count)
            #expect(Set(stored) == told)
        }
    }

    /// A process that is stopped in the middle of a call holds no lock, and its other call isn't concerned.
    @Test func aCallThatStopsDelaysNoOtherCall() async throws {
        try await withProxy(answerTimeout: .seconds(5)) { proxy, store, direct in
            proxy.arm(.stop(afterSent: 1_000), for: 0)
            async let stopped: Void = store.commit(.note("stopped"))
            await proxy.waitForFault()

            for number in 0..<5 { try await direct.commit(.note("\(number)")) }
            try await store.commit(.note("beside"))
            #expect(try await direct.find(EntityReference(kind: "note", key: "stopped")) == nil)

            // The store cuts the connection, and commits again.
            try await stopped
            try await requireNotes(7, in: direct)
        }
    }

    /// Runs `body` with a store behind a proxy, and a store without a proxy.
    private func withProxy(
        outcomeTimeout: Duration = .seconds(20),
        answerTimeout: Duration = .seconds(60),
        _ body: (CuttingProxy, PostgresStore, PostgresStore) async throws -> Void
    ) async throws {
        let folder = try #require(TestServer.folder)
        try await withSchema { schema in
            let proxy = try CuttingProxy(before: folder + "/.s.PGSQL.5432")
            defer { proxy.close() }
            let direct = try await schema.open()
            var configuration = schema.configuration
            configuration.outcomeTimeout = outcomeTimeout
            configuration.answerTimeout = answerTimeout
            let store = try await PostgresStore(
                url: "postgresql://headrace@127.0.0.1:\(proxy.port)/postgres",
                entities: [Note.self],
                configuration: configuration
            )
            try await body(proxy, store, direct)
        }
    }

    private func requireNotes(_ count: Int, in store: PostgresStore) async throws {
        #expect(try await store.fetch(DocumentQuery(kind: "note")).count == count)
        #expect(try await store.events(after: 0, limit: .max).count == count)
    }
}
#endif
