// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
@testable import HeadracePostgres
import HeadraceStorage
import Synchronization
import Testing

/// Servers that are killed.
@Suite(.needsServer, .enabled(if: TestProgram.folder != nil), .timeLimit(.minutes(10))) struct ServerFaultTests {
    /// Number of kills; more with `HEADRACE_POSTGRES_KILLS`.
    private static let kills = Int(ProcessInfo.processInfo.environment["HEADRACE_POSTGRES_KILLS"] ?? "") ?? 2

    @Test func aServerThatIsKilledUnderLoadHasEachAcknowledgedCommitOnce() async throws {
        let server = try await RestartableServer()
        defer { server.kill() }
        let store = try await PostgresStore(url: RestartableServer.url(server), entities: [Note.self])
        let load = Load()

        try await withThrowingTaskGroup { group in
            for caller in 0..<8 { group.addTask { try await load.run(caller, on: store) } }
            for _ in 0..<Self.kills {
                await load.wait(for: 100)
                server.kill()
                try await server.start()
            }
            await load.wait(for: 100)
            load.stop()
            try await group.waitForAll()
        }

        try await load.requireStored(in: store)
    }

    @Test func aStandbyThatIsPromotedTakesOver() async throws {
        // A commit returns when the standby has it too.
        let primary = try await RestartableServer(
            settings: ["synchronous_standby_names=*", "synchronous_commit=remote_apply"])
        defer { primary.kill() }
        let standby = try await RestartableServer(standbyOf: primary)
        defer { standby.kill() }
        let url = RestartableServer.url(primary, standby)
        let store = try await PostgresStore(url: url, entities: [Note.self])
        let feed = store.commitFeed.position
        for number in 0..<10 { try await store.commit(.note("\(number)", for: "a")) }

        primary.kill()
        try await standby.promote()
        try await store.commit(.note("after"))

        #expect(try await store.events(after: 0, limit: 99).count == 11)
        try await store.commitFeed.waitForChange(of: [.entities("note")], after: feed)
        let leased = try await store.lease(
            LeaseRequest(
                subscriptions: ["a"], laneLimit: 99, batchLimit: 9, now: Date(timeIntervalSince1970: 1_700_000_000),
                duration: .seconds(10)))
        #expect(leased.lanes.count == 10)
    }
}

/// Callers that commit until they are stopped, and remember what they were told.
private final class Load: Sendable {
    private struct State {
        var acknowledged: Set<String> = []
        var unknown: Set<String> = []
        var refused: Set<String> = []
        var isStopped = false
        var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())

    func run(_ caller: Int, on store: PostgresStore) async throws {
        var number = 0
        while !state.withLock(\.isStopped) {
            let key = "\(caller) \(number)"
            number += 1
            do {
                try await store.commit(.note(key, for: "a"))
                note { $0.acknowledged.insert(key) }
            } catch let error as StoreError where error.code == .outcomeUnknown {
                note { $0.unknown.insert(key) }
            } catch let error as StoreError where error.code == .unreachable {
                note { $0.refused.insert(key) }
            }
        }
    }

    private func note(_ change: (inout State) -> Void) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            change(&state)
            guard let waiter = state.waiter, state.acknowledged.count >= waiter.count else { return nil }
            state.waiter = nil
            return waiter.continuation
        }
        waiter?.resume()
    }

    /// Waits for `count` further acknowledged commits.
    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.waiter = ($0.acknowledged.count + count, continuation) }
        }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
    }

    func requireStored(in store: PostgresStore) async throws {
        let events = try await store.events(after: 0, limit: .max).compactMap(\.event.stream?.key)
        let documents = try await store.fetch(DocumentQuery(kind: "note")).map(\.reference.key)
        state.withLock { state in
            #expect(events.count == Set(events).count)
            #expect(Set(events) == Set(documents))
            #expect(state.acknowledged.isSubset(of: events))
            #expect(state.refused.isDisjoint(with: events))
            #expect(Set(events).isSubset(of: state.acknowledged.union(state.unknown)))
        }
    }
}
#endif
