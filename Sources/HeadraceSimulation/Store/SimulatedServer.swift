// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import Synchronization

/// The machine with the data of a simulation: a database server, or a disk with a file.
///
/// Commits wait in a queue until the disk is synchronized, which takes some milliseconds; then all of them take effect in order, and
/// become durable at once. Relaxed commits and settlements take effect at once, and become durable with the next durable commit. A
/// crash loses everything that isn't durable.
final class SimulatedServer: Sendable {
    private struct Commit: Sendable {
        let changes: ChangeSet
        let waiter: Waiter<Void>
        let writer: SimulatedStore
    }

    private struct State {
        var disk: InMemoryStore.Contents
        var queue: [Commit] = []
        var isSyncing = false
        var crashCount = 0
        var isDown = false
        var connections: [SimulatedStore] = []
        var checks: [@Sendable (InMemoryStore) async throws -> Void] = []
    }

    let kind: SimulatedStore.Kind
    let memory: InMemoryStore
    let scheduler: Scheduler
    let clock: SimulatedClock
    let plan: FaultPlan
    let history: SimulationHistory

    /// Watches the promises of the store; `nil` for a store that need not keep them.
    let watch: PromiseWatch?
    private let report: @Sendable (String) -> Void
    private let stream: RandomStream
    private let state: Mutex<State>

    init(
        kind: SimulatedStore.Kind,
        memory: InMemoryStore,
        scheduler: Scheduler,
        plan: FaultPlan,
        history: SimulationHistory,
        seed: UInt64,
        watch: PromiseWatch?,
        report: @escaping @Sendable (String) -> Void
    ) {
        self.kind = kind
        self.memory = memory
        self.scheduler = scheduler
        self.plan = plan
        self.history = history
        self.watch = watch
        self.report = report
        clock = SimulatedClock(scheduler: scheduler)
        stream = RandomStream(seed: seed, purpose: "server")
        state = Mutex(State(disk: memory.contents))
    }

    var isDown: Bool { state.withLock(\.isDown) }

    /// Number of crashes so far.
    var crashCount: Int { state.withLock(\.crashCount) }

    /// The delay of a request or of an answer.
    var delay: Duration {
        switch kind {
        case .server: stream.delay(mean: plan.faults.delay)
        case .file: stream.delay(mean: .microseconds(50))
        }
    }

    // MARK: Connections

    /// Notifies `store` of commits from now on.
    func connect(_ store: SimulatedStore) {
        state.withLock { $0.connections.append(store) }
    }

    func disconnect(_ store: SimulatedStore) {
        state.withLock { $0.connections.removeAll { $0 === store } }
    }

    /// Runs `check` after each commit.
    func add(_ check: @escaping @Sendable (InMemoryStore) async throws -> Void) {
        state.withLock { $0.checks.append(check) }
    }

    // MARK: Commits

    /// Commits `changes`, and returns when they are durable, or when they are applied if they are relaxed.
    ///
    /// - Throws: The errors of the store; ``StoreError`` with the code `outcomeUnknown` if the server crashes meanwhile.
    func commit(_ changes: ChangeSet, from writer: SimulatedStore) async throws {
        if changes.durability != .durable {
            try await apply(changes, from: writer)
            return
        }
        let waiter = Waiter<Void>()
        let mustSync = state.withLock { state in
            state.queue.append(Commit(changes: changes, waiter: waiter, writer: writer))
            defer { state.isSyncing = true }
            return !state.isSyncing
        }
        if mustSync { beginSync() }
        try await waiter.valueRegardless()
    }

    private func beginSync() {
        let crashes = crashCount
        scheduler.at(scheduler.now + stream.duration(in: .microseconds(200) ... .milliseconds(3)), for: .world) {
            if self.crashCount > crashes { return }
            Task { await self.sync(crashes) }
        }
    }

    private func sync(_ crashes: Int) async {
        let queue = state.withLock { state in
            defer { state.queue = [] }
            return state.queue
        }
        var results: [Result<Void, any Error>] = []
        for commit in queue {
            do {
                results.append(.success(try await apply(commit.changes, from: commit.writer)))
            } catch {
                results.append(.failure(error))
            }
        }
        if crashCount > crashes {
            for commit in queue { commit.waiter.end(with: .failure(Self.crashed))?.resume() }
            return
        }
        let isQueueEmpty = state.withLock { state in
            state.disk = memory.contents
            state.isSyncing = !state.queue.isEmpty
            return state.queue.isEmpty
        }
        for (commit, result) in zip(queue, results) { commit.waiter.end(with: result)?.resume() }
        if !isQueueEmpty { beginSync() }
    }

    private func apply(_ changes: ChangeSet, from writer: SimulatedStore) async throws {
        try await memory.commit(changes)
        watch?.noteCommit(of: changes, by: writer.name, isWatched: writer.isWatched, memory.contents)
        announce(changes.subjects, makesDeliveries: changes.makesDeliveries, by: writer)
        await check()
    }

    /// Runs the checks on the content of the server.
    func check() async {
        for check in state.withLock(\.checks) {
            do {
                try await check(memory)
            } catch {
                report("\(error)")
            }
        }
    }

    /// Compares the content of the server with everything that was promised, after the last commit.
    func checkPromises() {
        watch?.noteEnd(memory.contents)
    }

    /// Tells the stores that something was committed.
    func announce(_ subjects: Set<CommitFeed.Subject>?, makesDeliveries: Bool, by writer: SimulatedStore?) {
        for store in state.withLock(\.connections) where !store.isCutOff {
            scheduler.at(scheduler.now + (store === writer ? .zero : delay), for: store.owner) {
                store.commitFeed.recordCommit(of: subjects)
                if makesDeliveries { store.deliverySignal.notify() }
            }
        }
    }

    // MARK: Crashes

    /// Loses what isn't durable; requests that run fail, and new ones until ``recover()``.
    func crash() {
        let queue = state.withLock { state in
            state.crashCount += 1
            state.isDown = true
            state.isSyncing = false
            memory.restore(state.disk)
            defer { state.queue = [] }
            return state.queue
        }
        watch?.noteCrash(memory.contents)
        for commit in queue { commit.waiter.end(with: .failure(Self.crashed))?.resume() }
    }

    func recover() {
        state.withLock { $0.isDown = false }
        announce(nil, makesDeliveries: true, by: nil)
    }

    /// Releases the stores, so that nothing keeps the content of the server after the run.
    func end() {
        state.withLock { state in
            state.connections = []
            state.checks = []
        }
    }

    static let crashed = StoreError(
        code: .outcomeUnknown,
        message: """
            The connection to the simulated server ended during the commit, so its outcome is unknown. \
            To fix, send the command again with its idempotency key.
            """
    )
}
#endif
