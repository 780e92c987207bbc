// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
import Synchronization

/// The queue in which the actions of one dispatcher wait for their turn.
public final class Pipeline: Sendable {
    let queue: ActionQueue
    @usableFromInline let observers: ObserverList?
    @usableFromInline let clock: any TimeSource

    /// Task-local values of the program that queued actions carry.
    let carried: [CarriedTaskLocal]

    /// Address of the task that executes the action with the turn, or 0.
    private let executor = Atomic<UInt>(0)

    /// Creates a pipeline, active and empty.
    ///
    /// - Parameters:
    ///   - limit: Maximum number of waiting actions, without the running action. `nil` means no limit.
    ///   - overflow: The policy for a new action when the limit is reached.
    ///   - observers: Observers that are notified of each action.
    ///   - clock: The clock for deadlines and durations.
    ///   - taskLocal: Task-local variables, such as `Tenant.$current`. Queued actions carry their values, in addition to the
    ///     values that the library knows. Awaited actions see all task-local values of their task.
    public init<each Value: Sendable>(
        limit: Int? = nil,
        overflow: Overflow = .suspend,
        observers: [any MessageObserver] = [],
        clock: any TimeSource = ContinuousClock(),
        carrying taskLocal: repeat TaskLocal<each Value>
    ) {
        queue = ActionQueue(limit: limit, overflow: overflow)
        self.observers = ObserverList(observers)
        self.clock = clock
        var carried: [CarriedTaskLocal] = []
        repeat carried.append(CarriedTaskLocal(each taskLocal))
        self.carried = carried
    }

    /// The decision about a new action.
    @usableFromInline
    enum Admission {
        /// The action runs in place, because this task executes the action with the turn.
        case inPlace

        /// The action has the turn.
        case turn(ActiveAction)

        /// A full check is necessary.
        case unknown
    }

    /// Decides about a new action in the simple cases, without a full check.
    ///
    /// These are the cases without observers in which this task executes an action of this pipeline, or in which it executes
    /// no action and no action waits. It doesn't check whether the task represents another task.
    @usableFromInline
    func admit(_ action: any Action.Type) -> Admission {
        guard observers == nil else { return .unknown }
        let task = TaskIdentity.address
        if executor.load(ordering: .relaxed) == task { return .inPlace }
        guard !Task.isCancelled, ActiveAction.enclosing == nil, queue.takeFreeTurn() else { return .unknown }
        return .turn(ActiveAction(action, on: self, turnIn: queue, within: nil, in: task))
    }

    /// Records that the action with the turn is executed in `task`.
    func beginExecuting(in task: UInt) { executor.store(task, ordering: .relaxed) }

    /// Records that the action with the turn has ended.
    func endExecuting() { executor.store(0, ordering: .relaxed) }

    /// Number of waiting actions.
    public var waitingCount: Int { queue.waitingCount }

    /// Returns when at least this many actions wait.
    package func waitsFor(_ count: Int) async {
        await queue.waiting(count)
    }
}
