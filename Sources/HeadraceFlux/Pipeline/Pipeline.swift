//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore
import Synchronization

/// Where the actions of one dispatcher wait for their turn.
public final class Pipeline: Sendable {
    let queue: ActionQueue
    @usableFromInline let observers: [any MessageObserver]
    @usableFromInline let clock: any TimeSource

    /// Task-local values of the program that queued actions take along.
    let carried: [CarriedTaskLocal]

    /// The task that is executing the action whose turn it is, or zero.
    private let executor = Atomic<UInt>(0)

    /// Creates a pipeline, active and empty.
    ///
    /// - Parameters:
    ///   - limit: How many actions may wait, the one that is being executed not included; as many as come where it is
    ///     `nil`.
    ///   - overflow: What happens where one more comes.
    ///   - observers: What is told of each action.
    ///   - clock: Tells when the deadline of an action has passed and how long it took.
    ///   - carried: Task-local values that queued actions take along, besides those that the library knows. Actions that
    ///     are awaited see all task-local values of their task.
    public init(
        limit: Int? = nil,
        overflow: Overflow = .suspend,
        observers: [any MessageObserver] = [],
        clock: any TimeSource = ContinuousClock(),
        carrying carried: [CarriedTaskLocal] = []
    ) {
        queue = ActionQueue(limit: limit, overflow: overflow)
        self.observers = observers
        self.clock = clock
        self.carried = carried
    }

    /// What is to be done with an action that comes.
    @usableFromInline
    enum Admission {
        /// It is executed in place: this task is executing the action whose turn it is.
        case inPlace

        /// It has the turn.
        case turn(ActiveAction)

        /// Nothing of that is certain without a closer look.
        case unknown
    }

    /// Says what is to be done with an action, where that is soon told.
    ///
    /// That is so where nobody watches, and this task is executing an action of this pipeline, or none of any and nobody
    /// waits. Whom the task stands in for is not asked.
    @usableFromInline
    func admit(_ action: any Action.Type) -> Admission {
        guard observers.isEmpty else { return .unknown }
        let task = TaskIdentity.address
        if executor.load(ordering: .relaxed) == task { return .inPlace }
        guard !Task.isCancelled, ActiveAction.enclosing == nil, queue.takeFreeTurn() else { return .unknown }
        return .turn(ActiveAction(action, on: self, turnIn: queue, within: nil, in: task))
    }

    /// Says in which task the action is executed whose turn it is.
    func beginExecuting(in task: UInt) { executor.store(task, ordering: .relaxed) }

    /// Says that it has ended.
    func endExecuting() { executor.store(0, ordering: .relaxed) }

    /// How many actions wait.
    public var waitingCount: Int { queue.waitingCount }

    /// Returns when at least this many actions wait.
    package func waitsFor(_ count: Int) async {
        await queue.waiting(count)
    }
}
