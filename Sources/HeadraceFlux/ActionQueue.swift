// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

/// A first-in, first-out queue that gives one action at a time the turn, which is the right to run.
///
/// ``ActionQueueState`` makes the decisions under the lock. The queue acts on them outside of the lock.
final class ActionQueue: Sendable {
    typealias Waiter = CheckedContinuation<Void, any Error>
    private typealias State = ActionQueueState<Waiter>

    private let state: Mutex<ActionQueueState<Waiter>>
    private let overflow: Overflow

    /// The queue of the enclosing action, which keeps its turn until the actions of this queue have ended.
    let outer: ActionQueue?

    /// Tasks that wait until a number of actions wait.
    private let watchers = Mutex<[(count: Int, continuation: CheckedContinuation<Void, Never>)]>([])
    private let hasWatchers = Atomic(false)

    /// The queued action that has the turn, until the task that executes it starts.
    private let first = Mutex<(any QueuedAction)?>(nil)

    init(limit: Int? = nil, overflow: Overflow = .suspend, within outer: ActionQueue? = nil) {
        state = Mutex(ActionQueueState(limit: limit, overflow: overflow.choice))
        self.overflow = overflow
        self.outer = outer
    }

    /// Logs the remaining actions, because the dispatcher was released while it was paused.
    deinit {
        state.withLock { $0.rejectWaiting(because: .released) }.forEach { $0.reject() }
    }

    var isBusy: Bool { state.withLock { $0.isBusy } }
    var isActive: Bool { state.withLock { $0.isActive } }
    var waitingCount: Int { state.withLock { $0.waitingCount } }

    func isWaiting(_ number: Int) -> Bool { state.withLock { $0.isWaiting(number) } }
    func hasDrainer(_ number: Int) -> Bool { state.withLock { $0.hasDrainer(number) } }

    /// Takes the turn if no action has it and no action waits.
    func takeFreeTurn() -> Bool {
        state.withLock { $0.takeFreeTurn() }
    }

    /// Waits for the turn.
    ///
    /// - Returns: Whether the action has the turn. `false` if the queue was already closed.
    ///
    /// - Throws: `CancellationError`; ``PipelineError``.
    nonisolated(nonsending) func takeTurn<A: Action>(for action: A) async throws -> Bool {
        try Task.checkCancellation()
        let (result, evicted) = enqueue(.awaited(nil), for: action)
        evicted.forEach { $0.reject() }
        switch result {
        case .turn: return true
        case .closed: return false
        case .refused(let error): throw error
        case .waiting(let number):
            try await waitForTurn(of: A.self, at: number)
            return true
        }
    }

    /// Queues an action that no task awaits.
    ///
    /// If the action is rejected, logs the reason.
    func queue(_ action: some QueuedAction) {
        let (result, evicted) = enqueue(.queued(action), for: action.message)
        notifyWatchersIfAny()
        evicted.forEach { $0.reject() }
        switch result {
        case .turn: startDraining(from: action)
        case .closed: action.reject(PipelineError.shutDown)
        case .refused(let error): action.reject(error)
        case .waiting: break
        }
    }

    private func enqueue(
        _ occupant: State.Occupant,
        for action: @autoclosure () -> any Action
    ) -> (State.EnqueueResult, [State.RejectedWaiter]) {
        var key: AnyHashable?
        if case .coalesce(let makeKey) = overflow.choice { key = makeKey(action()) }
        return state.withLock { $0.enqueue(occupant, key: key) }
    }

    /// Waits until at least `count` actions wait.
    func waiting(_ count: Int) async {
        await withCheckedContinuation { continuation in
            watchers.withLock { $0.append((count, continuation)) }
            hasWatchers.store(true, ordering: .sequentiallyConsistent)
            // Earlier actions are counted here. Later actions notify the watchers.
            notifyWatchers()
        }
    }

    private func notifyWatchersIfAny() {
        if hasWatchers.load(ordering: .sequentiallyConsistent) { notifyWatchers() }
    }

    private func notifyWatchers() {
        let waitingCount = waitingCount
        let reached = watchers.withLock { watchers in
            let reached = watchers.filter { $0.count <= waitingCount }
            watchers.removeAll { $0.count <= waitingCount }
            return reached
        }
        for watcher in reached { watcher.continuation.resume() }
    }

    /// Waits for the turn of the waiting action with the number.
    ///
    /// The wait begins after the cancellation handler is in place. So a cancelled wait is never a part of a circle.
    ///
    /// - Throws: The same errors as ``takeTurn(for:)``.
    private nonisolated(nonsending) func waitForTurn<A: Action>(of action: A.Type, at number: Int) async throws {
        try await withCancellationHandler {
            #if DEBUG
            let wait = Wait(for: self, number: number, goal: .turn(action))
            let deadlock = wait.begin()
            defer { wait.end() }
            #endif
            // Only now, because a watcher may start the wait that would close the circle.
            notifyWatchersIfAny()
            #if DEBUG
            if let deadlock {
                let (isWithdrawn, drained) = state.withLock { ($0.withdraw(number), $0.takeDrained()) }
                drained.forEach { $0.resume() }
                // Otherwise the action has got the turn meanwhile, or was rejected.
                if isWithdrawn { throw deadlock }
            }
            #endif
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                switch state.withLock({ $0.wait(waiter, at: number) }) {
                case .turn?: waiter.resume()
                case .rejected(let error)?: waiter.resume(throwing: error)
                case nil: break
                }
            }
        } onCancel: {
            let (rejection, drained) = state.withLock { state in
                (state.leave(number, because: CancellationError()), state.takeDrained())
            }
            rejection?.reject()
            drained.forEach { $0.resume() }
        }
    }

    /// Ends the turn, and passes it to the next action.
    func passTurn() {
        if state.withLock({ $0.endLastTurn() }) { return }
        act(on: state.withLock { $0.passTurn() })
    }

    /// Rejects new actions.
    ///
    /// Returns whether the queue is empty; otherwise calls `onIdle` once when it is empty.
    func close(_ onIdle: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { $0.close(onIdle) }
    }

    func activate() {
        act(on: state.withLock { $0.activate() })
    }

    func deactivate() {
        state.withLock { $0.deactivate() }
    }

    /// Rejects new actions and, if the queue is paused, the waiting actions.
    func shutDown() {
        let isActive = state.withLock { state in
            state.shutDown()
            return state.isActive
        }
        if !isActive { rejectWaiting() }
    }

    /// Rejects the waiting actions, and resumes the tasks that wait for an empty queue.
    func rejectWaiting() {
        let (rejected, drained) = state.withLock { ($0.rejectWaiting(because: .shutDown), $0.takeDrained()) }
        rejected.forEach { $0.reject() }
        drained.forEach { $0.resume() }
    }

    /// Waits until no action has the turn or waits.
    ///
    /// - Throws: `CancellationError`; ``PipelineError``.
    nonisolated(nonsending) func drain(of dispatcher: Any.Type) async throws {
        try Task.checkCancellation()
        if let own = ActiveAction.turnsHeldHere.first(where: { $0.queue == ObjectIdentifier(self) }) {
            throw PipelineError.deadlock([WaitLink(action: own.action, goal: .empty(dispatcher))])
        }
        guard let number = state.withLock({ $0.addDrainer() }) else { return }
        try await withCancellationHandler {
            #if DEBUG
            let wait = Wait(for: self, number: number, goal: .empty(dispatcher))
            if let deadlock = wait.begin() {
                _ = state.withLock { $0.removeDrainer(number) }
                throw deadlock
            }
            defer { wait.end() }
            #endif
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                let isWaiting: Bool? = state.withLock { state in
                    Task.isCancelled ? nil : state.drain(waiter, number: number)
                }
                switch isWaiting {
                case true?: break
                case false?: waiter.resume()
                case nil: waiter.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            state.withLock { $0.removeDrainer(number) }?.resume(throwing: CancellationError())
        }
    }

    private func act(on next: State.Handover) {
        if let queued = actWithinDrain(on: next) { startDraining(from: queued) }
    }

    private func actWithinDrain(on next: State.Handover) -> (any QueuedAction)? {
        next.waiter?.resume()
        next.drained.forEach { $0.resume() }
        next.onIdle?()
        return next.queued
    }
}

// MARK: Actions that no task awaits

extension ActionQueue {
    /// Executes `first`, which has the turn, and the queued actions that follow it, in one task.
    ///
    /// The task ends when the next action is an awaited action, when the queue is empty, and when the queue is paused. It
    /// keeps the dispatcher alive until then. It is a detached task without task-local values, because it executes actions of
    /// several callers.
    private func startDraining(from first: any QueuedAction) {
        let (dispatcher, priority) = (first.dispatcher, first.priority)
        // Stored, so that the task doesn't keep the first action alive. Only one action has the turn at a time.
        self.first.withLock { $0 = first }
        Task.detached(priority: priority) {
            await self.drainQueue(priority: priority)
            withExtendedLifetime(dispatcher) {}
        }
    }

    private nonisolated(nonsending) func drainQueue(priority: TaskPriority) async {
        var next = first.withLock { $0.take() }
        var count = 0
        while let action = next {
            // An action can cancel the task that executes it. That must not cancel the following actions.
            if action.priority != priority || Task.isCancelled { return startDraining(from: action) }
            next = await action.execute(on: self)
            count &+= 1
            // Actions that never suspend would block the thread for other tasks.
            if count % 128 == 0 { await Task.yield() }
        }
    }

    /// Ends the turn, and passes it to the next action.
    ///
    /// - Returns: The next action if it is a queued action. The caller must execute it.
    func passTurnWithinDrain() -> (any QueuedAction)? {
        if state.withLock({ $0.endLastTurn() }) { return nil }
        return actWithinDrain(on: state.withLock { $0.passTurn() })
    }
}

extension ActionQueueState.RejectedWaiter where Waiter == ActionQueue.Waiter {
    /// Throws the error in the waiting task or, if no task awaits the action, logs it.
    fileprivate func reject() {
        switch occupant {
        case .awaited(let waiter): waiter?.resume(throwing: error)
        case .queued(let action): action.reject(error)
        case .removed: break
        }
    }
}
