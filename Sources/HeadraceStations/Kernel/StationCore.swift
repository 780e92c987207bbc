// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HeadraceCore

/// Reduces actions and starts their effects, on the actor that owns it.
///
/// It isn't `Sendable`, so the compiler keeps it on that actor. It never suspends and takes no lock while it reduces.
@usableFromInline
final class StationCore<State, Action: Sendable> {
    /// The state.
    ///
    /// Only an action that is being reduced changes it.
    ///
    /// Two accesses never overlap, so the run-time check of exclusive access is off: an action that is poured while
    /// another action is reduced waits (`isBusy`), and a reducer reads the state that it receives as a parameter.
    @safe @exclusivity(unchecked)
    @usableFromInline var state: State

    @safe @exclusivity(unchecked)
    @usableFromInline var status: StationStatus = []

    @usableFromInline let reduce: (inout State, Action) -> Effect<Action>

    let cancelAbsentChildren: ((inout State, EffectNamespace) -> Void)?
    let declare: ((State) -> [DeclaredSubscription<Action>])?
    let chain: MiddlewareChain
    let actionMiddleware: SynchronousMiddleware<Action>
    let observers: [any MessageObserver]
    let clock: any TimeSource
    let taskExecutor: (any TaskExecutor)?
    let runningEffects: RunningEffects

    /// The ids of the effects of the station itself.
    private(set) lazy var namespace = EffectNamespace()

    var queue: Deque<PendingAction<Action>> = []

    /// The completion of the action that is being poured; `nil` until the action starts an effect.
    var pouredCompletion: ActionCompletion?

    var reductionObservers: [ReductionObserver<State, Action>] = []

    /// Whether ``reductionObservers`` has an element.
    ///
    /// Generic code reads it faster than the array.
    private(set) var hasReductionObservers = false

    var lastObserverNumber = 0

    /// Whether the subscriptions of the initial state were started.
    var haveSubscriptionsStarted = false

    /// The subscriptions that the state declares, also those that have ended.
    var subscriptions: [SubscriptionKey: RunningSubscription] = [:]

    /// Compares two states; `nil` if the state isn't a struct that is `Equatable`.
    let isEqual: ((State, State) -> Bool)?

    /// Notifies the observers of the station that the state has changed.
    var stateDidChange: (() -> Void)?

    init<D: Dripper>(
        state: State,
        dripper: D,
        options: StationOptions,
        runningEffects: RunningEffects
    ) where D.State == State, D.Action == Action {
        let node = NodeBuilder().makeLevel(of: dripper)
        self.state = state
        reduce = node.reduce
        cancelAbsentChildren = node.cancelAbsentChildren
        declare = node.declare
        chain = MiddlewareChain(middleware: options.middleware, observers: options.observers, clock: options.clock)
        actionMiddleware = SynchronousMiddleware(options.middleware)
        observers = options.observers
        clock = options.clock
        taskExecutor = options.taskExecutor
        self.runningEffects = runningEffects
        isEqual = StateComparison<State>.make()
        if node.declare != nil { status.insert(.hasSubscriptions) }
        updateInstrumentation()
        notifyStateObservers()
    }

    /// Reduces `action`, the actions that it sends, and the actions that wait, and starts their effects.
    @inlinable
    func pour(_ action: Action) -> PourTask {
        guard status.isEmpty else { return pourQueued(action) }
        return reduceDirectly(action, completion: nil)
    }

    /// Reduces an action, and the actions that it sends, on a station whose status is empty.
    ///
    /// This loop is the direct path of all actions. Most actions have no effect, so the station is free again.
    ///
    /// - Parameters:
    ///   - first: The action.
    ///   - completion: The completion of the effect that has poured the action; `nil` for an action of the program.
    /// - Returns: The task of an action of the program.
    @inlinable @inline(__always)
    func reduceDirectly(_ first: Action, completion: ActionCompletion?) -> PourTask {
        status = .isBusy
        var action = first
        var effect = reduce(&state, action)
        while status == .isBusy {
            switch effect.storage {
            case .none:
                status = []
                return PourTask()
            case .send(let next):
                action = next
                effect = reduce(&state, next)
            case .tree:
                return finishDirectly(effect, of: action, completion: completion)
            }
        }
        return finishDirectly(effect, of: action, completion: completion)
    }

    /// Finds out whether actions need the instrumented path.
    func updateInstrumentation() {
        hasReductionObservers = !reductionObservers.isEmpty
        if actionMiddleware.isEmpty && observers.isEmpty && !hasReductionObservers {
            status.remove(.isInstrumented)
        } else {
            status.insert(.isInstrumented)
        }
    }
}

/// Parameters of a station other than its state and its drippers.
struct StationOptions: Sendable {
    var middleware: [any Middleware] = []
    var observers: [any MessageObserver] = []
    var clock: any TimeSource = ContinuousClock()

    /// The executor for the nonisolated parts of effects; `nil` for the default executor.
    var taskExecutor: (any TaskExecutor)?
}
