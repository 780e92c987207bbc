// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
import Synchronization

/// The queue in which the actions of one dispatcher wait for their turn.
public final class Pipeline: Sendable {
    let queue: ActionQueue
    @usableFromInline let observers: [any MessageObserver]
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
        clock: any TimeSource = CurrentClock(),
        carrying taskLocal: repeat TaskLocal<each Value>
    ) {
        queue = ActionQueue(limit: limit, overflow: overflow)
        self.observers = observers
        self.clock = clock
        var carried: [CarriedTaskLocal] = []
        repeat carried.append(CarriedTaskLocal(each taskLocal))
        self.carried = carried
    }

    /// How a new action runs, as far as it can be decided without the queue's full rules.
    @usableFromInline
    enum Admission {
        /// The action runs in place, because this task executes the action with the turn.
        case inPlace

        /// The action has taken the free turn, and must pass it on.
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
        guard observers.isEmpty else { return .unknown }
        let task = TaskIdentity.address
        if executor.load(ordering: .relaxed) == task { return .inPlace }
        guard !Task.isCancelled, ActiveAction.enclosing == nil, queue.takeFreeTurn() else { return .unknown }
        return .turn(ActiveAction(action, on: self, turnIn: queue, within: nil, in: task))
    }

    /// Records that the action with the turn is executed in `task`.
    func beginExecuting(in task: UInt) { executor.store(task, ordering: .relaxed) }

    /// Records that the action with the turn has ended.
    func endExecuting() { executor.store(0, ordering: .relaxed) }

    /// Number of waiting actions, without the action that runs.
    public var waitingCount: Int { queue.waitingCount }

    /// Returns when at least this many actions wait.
    package func waitsFor(_ count: Int) async {
        await queue.waiting(count)
    }
}

/// The policy for a new action when the limit of a pipeline is reached.
public struct Overflow: Sendable {
    enum Choice: Sendable {
        case suspend, dropOldest, dropNewest
        case coalesce(@Sendable (any Action) -> AnyHashable?)
    }

    let choice: Choice

    /// An awaited action waits, although the limit is reached, so its caller is suspended longer.
    ///
    /// A queued action is rejected, and ``PipelineError`` with the code `full` is logged.
    public static let suspend = Overflow(choice: .suspend)

    /// The oldest waiting action is rejected with ``PipelineError`` with the code `dropped`.
    ///
    /// If a caller awaits it, the error is thrown there; otherwise it is logged.
    public static let dropOldest = Overflow(choice: .dropOldest)

    /// The new action is rejected with the same error as with ``dropOldest``.
    public static let dropNewest = Overflow(choice: .dropNewest)

    /// The new action replaces a waiting action with the same key, which is rejected with the same error as with
    /// ``dropOldest``.
    ///
    /// If no waiting action has the same key, or if `key` returns `nil`, the policy is ``suspend``.
    public static func coalesce(by key: @escaping @Sendable (any Action) -> AnyHashable?) -> Overflow {
        Overflow(choice: .coalesce(key))
    }
}

/// The reason why an action wasn't executed, or why a wait would be a deadlock.
///
/// Branch on ``code-swift.property``, and log ``message``. Later releases may add codes.
public struct PipelineError: CodedError {
    /// The kind of the error, stable enough to branch on.
    public typealias Code = ErrorCode<PipelineError>

    /// The reason, for code that handles it.
    public let code: Code

    /// A sentence about the error, and a sentence about its fix.
    public let message: String

    static func full(limit: Int) -> PipelineError {
        PipelineError(
            code: .full,
            message: """
                The queued action was rejected, because \(limit) actions wait, which is the limit of the pipeline. To fix, \
                await the action, raise the limit, or choose another overflow policy.
                """
        )
    }

    static func dropped(limit: Int) -> PipelineError {
        PipelineError(
            code: .dropped,
            message: """
                The action was dropped, because \(limit) actions waited, which is the limit of the pipeline. To fix, \
                dispatch fewer actions, or raise the limit.
                """
        )
    }

    static let shutDown = PipelineError(
        code: .shutDown,
        message: "The dispatcher was shut down before the action ran. To fix, dispatch the action before the shutdown."
    )

    static let released = PipelineError(
        code: .released,
        message: """
            The dispatcher was released while it was paused, before the action ran. To fix, activate and drain the \
            dispatcher, or shut it down, before you release it.
            """
    )

    /// The error of a task whose wait would close `circle`.
    static func deadlock(_ circle: [WaitLink]) -> PipelineError {
        let remedy =
            circle.contains(where: \.isDrain)
            ? "drain or shut down a dispatcher after the action has ended."
            : "queue one of these actions instead of awaiting it, or await it after the other action has ended."
        return PipelineError(
            code: .deadlock,
            message: """
                The wait would be a deadlock: \(circle.map(\.description).joined(separator: ", and ")). To fix, \(remedy)
                """
        )
    }
}

extension ErrorCode<PipelineError> {
    /// The limit is reached, and the rejected action is a queued action.
    public static var full: Self { Self() }

    /// The limit is reached, and the action was dropped in favor of another action.
    public static var dropped: Self { Self() }

    /// The dispatcher was shut down before the action ran.
    public static var shutDown: Self { Self() }

    /// The dispatcher was released while it was paused.
    public static var released: Self { Self() }

    /// Actions would wait for each other forever, which only debug builds notice, or an action would wait for itself.
    public static var deadlock: Self { Self() }
}
