// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceFlux
import HeadraceTesting
import Synchronization

/// A dispatcher that records the notes of its actions, and whether two actions overlap.
final class Ledger: Dispatcher {
    struct State {
        var entries: [String] = []
        var executing = 0
        var overlaps = 0
    }

    let pipeline: Pipeline
    let middlewares: [any Middleware]
    let state = Mutex(State())

    /// Becomes true when the ledger is freed.
    let freed = ConditionVariable(false)

    deinit { freed.change { $0 = true } }

    init(_ pipeline: Pipeline = Pipeline(), middlewares: [any Middleware] = []) {
        self.pipeline = pipeline
        self.middlewares = middlewares
    }

    var entries: [String] { state.withLock { $0.entries } }
    var overlaps: Int { state.withLock { $0.overlaps } }

    func note(_ entry: String) { state.withLock { $0.entries.append(entry) } }

    func began() {
        state.withLock { state in
            state.executing += 1
            if state.executing > 1 { state.overlaps += 1 }
        }
    }

    func ended() { state.withLock { $0.executing -= 1 } }
}

/// Suspends `suspensions` times, and then notes its name.
struct Note: Action {
    let name: String
    var suspensions = 0

    init(_ name: String, suspensions: Int = 0) {
        self.name = name
        self.suspensions = suspensions
    }

    func execute(with ledger: Ledger) async {
        ledger.began()
        for _ in 0..<suspensions { await Task.yield() }
        ledger.note(name)
        ledger.ended()
    }
}

/// Runs a closure.
struct Perform: Action {
    let body: @Sendable (Ledger) async throws -> Void

    init(_ body: @escaping @Sendable (Ledger) async throws -> Void) {
        self.body = body
    }

    func execute(with ledger: Ledger) async throws { try await body(ledger) }
}

struct Failure: Error, Equatable {}

extension Ledger {
    /// Starts an action that keeps the dispatcher busy until the gate is opened.
    func occupy() async -> (gate: Gate, task: Task<Void, any Error>) {
        let gate = Gate()
        let task = Task { try await dispatch(Perform { _ in await gate.pass() }) as Void }
        await gate.arrivals(1)
        return (gate, task)
    }

    /// Dispatches `actions` from one task each, and waits until each is in the queue before it starts the next task.
    func enqueue<A: Action>(_ actions: [A]) async -> [Task<Void, any Error>] where A.Dispatcher == Ledger {
        var tasks: [Task<Void, any Error>] = []
        for action in actions {
            let count = pipeline.waitingCount
            tasks.append(Task { try await dispatch(action) as Void })
            await pipeline.waitForQueuedActions(count + 1)
        }
        return tasks
    }
}
