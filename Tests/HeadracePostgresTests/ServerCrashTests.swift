// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceCore
import HeadraceDomain
import HeadracePostgres
import HeadraceRelay
import HeadraceStorage
import HeadraceStoreContract
import Synchronization
import Testing

/// Servers that crash and lose the last commits, while the relays on them live on.
@Suite(.needsServer, .enabled(if: TestProgram.folder != nil), .serialized, .timeLimit(.minutes(10)))
struct ServerCrashTests {
    enum Point: String, CaseIterable {
        case beforeCommit, afterCommit, beforeLease, afterLease, beforeSettlement, afterSettlement, beforeRenewal
        case afterRenewal, inHandler, afterHandler
    }

    /// Number of crashes at each point; more with `HEADRACE_POSTGRES_KILLS`.
    private static let crashes = Int(ProcessInfo.processInfo.environment["HEADRACE_POSTGRES_KILLS"] ?? "") ?? 3

    /// Each point with and without a handler that writes.
    ///
    /// Without it, few commits wait for the disk, so more is lost, and the relays commit nothing.
    private static let cases =
        Point.allCases.map { ($0, true) }
        + Point.allCases.filter { $0 != .beforeCommit && $0 != .afterCommit }.map { ($0, false) }

    @Test(arguments: cases)
    func relaysLoseRepeatAndReorderNothing(point: Point, isWriting: Bool) async throws {
        // Commits that don't wait for the disk stay in the memory of the server until another commit waits.
        let server = try await RestartableServer(settings: ["wal_writer_delay=10s", "wal_writer_flush_after=1GB"])
        defer { server.kill() }
        let crasher = Crasher(server, at: point)
        let ledger = CrashLedger(isWriting: isWriting, crashCount: { crasher.count }) { hasEffect in
            await crasher.handle(hasEffect: hasEffect)
        }
        let url = RestartableServer.url(server)
        var stores: [PostgresStore] = []
        for _ in 0..<3 { stores.append(try await PostgresStore(url: url, entities: CrashLedger.entities)) }
        let relays = stores.dropFirst().map { relay(on: CrashingStore($0, crasher), ledger) }

        try await withThrowingTaskGroup { group in
            for relay in relays { group.addTask { try await relay.run() } }
            for number in 0..<Self.crashes {
                // The lanes are long when the handlers begin.
                crasher.hold()
                for unit in 0..<6 { await write(to: "\(unit % 3)", ledger, stores[0]) }
                crasher.arm(after: number)
                // Some points pass only with further messages.
                await write(to: "new \(number)", ledger, stores[0])
                while crasher.count <= number {
                    let seen = crasher.progress.position
                    // The relays can be idle before the last of the passes.
                    let isIdle = try? await pendingCount(in: stores[0]) == 0
                    if isIdle == true { await write(to: "new \(number)", ledger, stores[0]) }
                    if crasher.count <= number { try await crasher.progress.wait(after: seen) }
                }
                try await crasher.wait(for: number + 1)
            }
            await write(to: "0", ledger, stores[0])
            while true {
                let seen = crasher.progress.position
                if try await pendingCount(in: stores[0]) == 0 { break }
                try await crasher.progress.wait(after: seen)
            }
            for relay in relays { relay.shutDown() }
            try await group.waitForAll()
        }

        try await ledger.check(on: stores[0])
        for store in stores { try? store.close() }
    }

    private func write(to stream: String, _ ledger: CrashLedger, _ store: PostgresStore) async {
        // If the server has crashed meanwhile, the events may be stored. The next events follow in each case.
        try? await ledger.write(8, to: stream, on: store)
    }

    private func pendingCount(in store: PostgresStore) async throws -> Int {
        do {
            return try await store.deliveryStatistics().pendingCount
        } catch let error as StoreError where error.code == .unreachable {
            return try await store.deliveryStatistics().pendingCount
        }
    }

    private func relay(on store: any DeliveryStore, _ ledger: CrashLedger) -> Relay {
        var configuration = Relay.Configuration()
        configuration.maximumAttempts = 1_000
        configuration.backoff = Backoff(base: .milliseconds(20), longest: .milliseconds(200))
        configuration.pollInterval = .milliseconds(200)
        configuration.leaseDuration = .milliseconds(1_500)
        return Relay(store: store, registrar: ledger.registrar, configuration: configuration)
    }
}

/// Crashes a server at a point, once for each time that it is armed, and starts it again.
private final class Crasher: Sendable {
    private struct State {
        /// Number of passes before the next crash; `nil` if no crash is due.
        var passesLeft: Int?
        var count = 0
        var isHeld = false
        var failure: (any Error)?
        var held: [CheckedContinuation<Void, Never>] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let server: RestartableServer
    private let point: ServerCrashTests.Point
    private let state = Mutex(State())

    /// Notifies that a relay has stored something, or that the server has crashed and started again.
    let progress = DeliverySignal()

    /// Number of crashes.
    var count: Int { state.withLock { $0.count } }

    init(_ server: RestartableServer, at point: ServerCrashTests.Point) {
        self.server = server
        self.point = point
    }

    /// Lets handlers wait before their effects, until ``arm(after:)``.
    func hold() {
        state.withLock { $0.isHeld = true }
    }

    /// Lets handlers go on, and crashes the server after a number of further passes.
    func arm(after passes: Int) {
        let held = state.withLock { state in
            (state.passesLeft, state.isHeld) = (passes, false)
            defer { state.held = [] }
            return state.held
        }
        for handler in held { handler.resume() }
    }

    func pass(_ passed: ServerCrashTests.Point) async {
        if passed != point { return }
        let crashes = state.withLock { state in
            guard let left = state.passesLeft else { return false }
            state.passesLeft = left > 0 ? left - 1 : nil
            return left == 0
        }
        if !crashes { return }
        server.kill()
        let result: Result<Void, any Error>
        do { result = .success(try await server.start()) } catch { result = .failure(error) }
        let waiters = state.withLock { state in
            state.count += 1
            if case .failure(let error) = result { state.failure = error }
            let ready = state.waiters.filter { $0.count <= state.count }
            state.waiters.removeAll { $0.count <= state.count }
            return ready
        }
        for waiter in waiters { waiter.continuation.resume() }
        progress.notify()
    }

    /// Is called by handlers: at a crash around a renewal, a lane is held meanwhile.
    func handle(hasEffect: Bool) async {
        if !hasEffect {
            await withCheckedContinuation { continuation in
                let isHeld = state.withLock { state in
                    if state.isHeld { state.held.append(continuation) }
                    return state.isHeld
                }
                if !isHeld { continuation.resume() }
            }
        }
        await pass(hasEffect ? .afterHandler : .inHandler)
        let next = state.withLock { $0.passesLeft == nil ? nil : $0.count + 1 }
        if let next, [.beforeRenewal, .afterRenewal].contains(point) { await waitRegardless(for: next) }
    }

    /// Returns after `count` crashes.
    ///
    /// - Throws: The error of the server, if it didn't start again.
    func wait(for count: Int) async throws {
        await waitRegardless(for: count)
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    private func waitRegardless(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.count < count { state.waiters.append((count, continuation)) }
                return state.count >= count
            }
            if isDone { continuation.resume() }
        }
    }
}

private final class CrashingStore: StoreDecorator {
    let base: any DeliveryStore
    private let crasher: Crasher

    init(_ base: any DeliveryStore, _ crasher: Crasher) {
        self.base = base
        self.crasher = crasher
    }

    func commit(_ changes: ChangeSet) async throws {
        await crasher.pass(.beforeCommit)
        try await base.commit(changes)
        await crasher.pass(.afterCommit)
        crasher.progress.notify()
    }

    func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        await crasher.pass(.beforeLease)
        let leased = try await base.lease(request)
        if !leased.lanes.isEmpty { await crasher.pass(.afterLease) }
        return leased
    }

    func settle(_ settlements: [Settlement]) async throws -> [Lease] {
        await crasher.pass(.beforeSettlement)
        let refused = try await base.settle(settlements)
        await crasher.pass(.afterSettlement)
        crasher.progress.notify()
        return refused
    }

    func renew(_ leases: [Lease], until date: Date) async throws -> [Lease] {
        await crasher.pass(.beforeRenewal)
        let refused = try await base.renew(leases, until: date)
        await crasher.pass(.afterRenewal)
        return refused
    }
}
#endif
