//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import Synchronization

/// Gives those who come their turn, one at a time, in the order in which they came.
///
/// The decisions are those of ``ActionLineState``; this takes them under the lock and acts on them outside.
final class ActionLine: Sendable {
    typealias Waiter = CheckedContinuation<Void, any Error>

    private let state: Mutex<ActionLineState<Waiter>>
    private let overflow: Overflow

    /// Those who wait for others to wait: tests.
    private let watchers = Mutex<[(count: Int, continuation: CheckedContinuation<Void, Never>)]>([])
    private let hasWatchers = Atomic(false)

    init(limit: Int?, overflow: Overflow) {
        state = Mutex(ActionLineState(limit: limit, overflow: overflow.choice))
        self.overflow = overflow
    }

    var isBusy: Bool { state.withLock { $0.isBusy } }
    var isActive: Bool { state.withLock { $0.isActive } }
    var isClosed: Bool { state.withLock { $0.isClosed } }
    var waitingCount: Int { state.withLock { $0.waitingCount } }

    /// Takes the turn, if nobody has it and nobody waits.
    func takeFreeTurn() -> Bool {
        state.withLock { $0.takeFreeTurn() }
    }

    /// Returns when the turn has come: `true`, or `false` where the line was closed before this one came.
    ///
    /// - Throws: `CancellationError`; ``PipelineError``.
    nonisolated(nonsending) func takeTurn(for action: some Action) async throws -> Bool {
        try Task.checkCancellation()
        let (arrival, evicted) = arrive(action, isAwaited: true)
        evicted.forEach { $0.resume() }
        switch arrival {
        case .turn: return true
        case .closed: return false
        case .refused(let error): throw error
        case .place(let place):
            try await waitForTurn(at: place)
            return true
        }
    }

    /// Takes a place for an action that nobody awaits, or the turn itself where it gives `nil`.
    ///
    /// - Throws: ``PipelineError``.
    func queue(_ action: some Action) throws -> Int? {
        let (arrival, evicted) = arrive(action, isAwaited: false)
        evicted.forEach { $0.resume() }
        switch arrival {
        case .turn: return nil
        case .closed: throw PipelineError.shutDown
        case .refused(let error): throw error
        case .place(let place): return place
        }
    }

    private func arrive(
        _ action: some Action,
        isAwaited: Bool
    ) -> (ActionLineState<Waiter>.Arrival, [ActionLineState<Waiter>.Rejection]) {
        var key: AnyHashable?
        if case .coalesce(let makeKey) = overflow.choice { key = makeKey(action) }
        let arrival = state.withLock { $0.arrive(key: key, isAwaited: isAwaited) }
        if hasWatchers.load(ordering: .sequentiallyConsistent) { tellWatchers() }
        return arrival
    }

    /// Returns when at least this many wait.
    func waiting(_ count: Int) async {
        await withCheckedContinuation { continuation in
            watchers.withLock { $0.append((count, continuation)) }
            hasWatchers.store(true, ordering: .sequentiallyConsistent)
            // Who came before that was not told of it is counted here; who comes later tells.
            tellWatchers()
        }
    }

    private func tellWatchers() {
        let waitingCount = waitingCount
        let reached = watchers.withLock { watchers in
            let reached = watchers.filter { $0.count <= waitingCount }
            watchers.removeAll { $0.count <= waitingCount }
            return reached
        }
        for watcher in reached { watcher.continuation.resume() }
    }

    /// Returns when the turn of `place` has come.
    ///
    /// - Throws: As of ``takeTurn(for:)``.
    nonisolated(nonsending) func waitForTurn(at place: Int) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                switch state.withLock({ $0.wait(waiter, at: place) }) {
                case .turn?: waiter.resume()
                case .rejected(let error)?: waiter.resume(throwing: error)
                case nil: break
                }
            }
        } onCancel: {
            let (rejection, drained) = state.withLock { state in
                (state.leave(place, because: CancellationError()), state.takeDrained())
            }
            rejection?.resume()
            drained.forEach { $0.resume() }
        }
    }

    /// Ends the turn and gives it to the next.
    func passTurn() {
        if state.withLock({ $0.endLastTurn() }) { return }
        act(on: state.withLock { $0.passTurn() })
    }

    /// Takes no more, and calls `onIdle` once when nobody is left.
    func close(_ onIdle: @escaping @Sendable () -> Void) {
        if state.withLock({ $0.close(onIdle) }) { onIdle() }
    }

    func activate() {
        act(on: state.withLock { $0.activate() })
    }

    func deactivate() {
        state.withLock { $0.deactivate() }
    }

    /// Takes no more; where it is not active, rejects those who wait.
    func shutDown() {
        let isActive = state.withLock { state in
            state.shutDown()
            return state.isActive
        }
        if !isActive { rejectWaiting() }
    }

    /// Rejects those who wait.
    func rejectWaiting() {
        let (rejected, next) = state.withLock { ($0.rejectWaiting(), $0.takeDrained()) }
        rejected.forEach { $0.resume() }
        next.forEach { $0.resume() }
    }

    /// Returns when nobody has the turn or waits.
    nonisolated(nonsending) func drain() async throws {
        let id = state.withLock { $0.makePlace() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                let isDone: Bool? = state.withLock { state in
                    Task.isCancelled ? nil : state.drain(waiter, id: id)
                }
                switch isDone {
                case true?: waiter.resume()
                case false?: break
                case nil: waiter.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            state.withLock { $0.removeDrainer(id) }?.resume(throwing: CancellationError())
        }
    }

    private func act(on next: ActionLineState<Waiter>.Next) {
        next.waiter?.resume()
        next.drained.forEach { $0.resume() }
        next.onIdle?()
    }
}

extension ActionLineState.Rejection where Waiter == ActionLine.Waiter {
    fileprivate func resume() { waiter.resume(throwing: error) }
}
