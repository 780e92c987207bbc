// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HeadraceCore

/// Reduces actions and starts their effects, on the actor that owns it.
///
/// All actions take one path:
///
/// 1. The program calls ``pour(_:)``, and an effect calls `deliver(_:countingTo:)`. While the station is busy, the action waits.
/// 2. `process(_:countingTo:causedBy:from:)` reduces the action, within the middleware and the observers if there are any.
/// 3. `startEffect(_:of:_:causedBy:)` starts the effect that the action has returned.
/// 4. `drain()` processes the actions that wait, and then the station is free.
///
/// ``pour(_:)`` takes a short cut of the same steps for an action without effect on a station that has nothing else to do.
///
/// The core isn't `Sendable`, so the compiler keeps it on that actor. It never suspends and takes no lock while it reduces.
@usableFromInline
package final class StationCore<State, Action: Sendable> {
    /// The state.
    ///
    /// Only an action that is being reduced changes it.
    ///
    /// Two accesses never overlap, so the run-time check of exclusive access is off: an action that is poured while
    /// another action is reduced waits (`isBusy`), and a reducer reads the state that it receives as a parameter.
    @safe @exclusivity(unchecked)
    @usableFromInline package internal(set) var state: State

    @safe @exclusivity(unchecked)
    @usableFromInline var status: StationStatus = []

    @usableFromInline let reduce: (inout State, Action) -> Effect<Action>

    let cancelAbsentChildren: ((inout State, EffectNamespace) -> Void)?
    let declare: ((State) -> [DeclaredSubscription<Action>])?
    let chain: MiddlewareChain
    let actionMiddleware: [any ActionMiddleware]
    let observers: [any MessageObserver]
    let clock: any TimeSource
    let taskExecutor: (any TaskExecutor)?
    let runningEffects: RunningEffects

    /// The ids of the effects of the station itself.
    private(set) lazy var namespace = EffectNamespace()

    var queue: Deque<PendingAction<Action>> = []

    /// The completion of the action that is being poured; `nil` until the action starts an effect.
    private var startedCompletion: ActionCompletion?

    var reductionObservers: [ReductionObserver<State, Action>] = [] {
        didSet { updateInstrumentation() }
    }

    /// Whether ``reductionObservers`` has an element.
    ///
    /// Generic code reads it faster than the array.
    private var hasReductionObservers = false

    var lastObserverNumber = 0

    /// Whether the subscriptions of the initial state were started.
    var haveSubscriptionsStarted = false

    /// The subscriptions that the state declares, also those that have ended.
    var subscriptions: [SubscriptionKey: RunningSubscription] = [:]

    /// Compares two states; `nil` if the state isn't a struct that is `Equatable`.
    let isEqual: ((State, State) -> Bool)?

    /// Notifies the observers of the station that the state has changed.
    var stateDidChange: (() -> Void)?

    package init<D: Dripper>(
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
        actionMiddleware = options.middleware.compactMap { $0 as? any ActionMiddleware }
        observers = options.observers
        clock = options.clock
        taskExecutor = options.taskExecutor
        self.runningEffects = runningEffects
        isEqual = Self.makeComparison()
        if node.declare != nil { status.insert(.hasSubscriptions) }
        updateInstrumentation()
        notifyStateObservers()
    }

    /// Returns a comparison of states that are `Equatable` values.
    ///
    /// `nil` for other values, and for objects, because a station always has the same object.
    private static func makeComparison() -> ((State, State) -> Bool)? {
        func make<Value: Equatable>(_ type: Value.Type) -> (State, State) -> Bool {
            { left, right in
                guard let left = left as? Value, let right = right as? Value else { return false }
                return left == right
            }
        }
        guard !(State.self is AnyObject.Type), let type = State.self as? any Equatable.Type else { return nil }
        return make(type)
    }

    /// Finds out whether actions pass through middleware, or whether something observes them.
    private func updateInstrumentation() {
        hasReductionObservers = !reductionObservers.isEmpty
        if actionMiddleware.isEmpty && observers.isEmpty && !hasReductionObservers {
            status.remove(.isInstrumented)
        } else {
            status.insert(.isInstrumented)
        }
    }

    // MARK: Pouring

    /// Reduces `action`, the actions that it sends, and the actions that wait, and starts their effects.
    ///
    /// The loop is the short cut: most actions have no effect or send an action, and then the station is free again.
    @inlinable
    package func pour(_ action: Action) -> PourTask {
        guard status.isEmpty else { return pourInOrder(action) }
        status = .isBusy
        var action = action
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
                return finishPour(effect, of: action)
            }
        }
        return finishPour(effect, of: action)
    }

    /// Queues `action` if the station is busy; otherwise processes it and the actions that wait.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - completion: The completion to which the action counts; `nil` for a new one.
    /// - Returns: The task of the action.
    @usableFromInline @discardableResult
    func pourInOrder(_ action: Action, countingTo completion: ActionCompletion? = nil) -> PourTask {
        if status.contains(.isBusy) {
            let completion = completion ?? ActionCompletion(in: runningEffects)
            enqueue(action, completion, from: .program)
            return PourTask(completion)
        }
        startSubscriptions()
        startedCompletion = completion
        occupy { process(action, countingTo: nil, causedBy: nil, from: .program) }
        return takeTask()
    }

    /// Starts `effect`, which `action` has returned on the short cut, and processes the actions that wait.
    @usableFromInline
    func finishPour(_ effect: Effect<Action>, of action: Action) -> PourTask {
        startEffect(effect, of: action, nil)
        drain()
        return takeTask()
    }

    /// Returns the task of the action that was poured, and ends the part of the completion that the pour holds.
    private func takeTask() -> PourTask {
        guard let completion = startedCompletion else { return PourTask() }
        startedCompletion = nil
        completion.end()
        return PourTask(completion)
    }

    /// Reduces `action` for an effect that counts to `completion`.
    func deliver(_ action: Action, countingTo completion: ActionCompletion) {
        if status.contains(.isBusy) {
            completion.begin()
            enqueue(action, completion, from: .effect)
        } else {
            occupy { process(action, countingTo: completion, causedBy: nil, from: .effect) }
        }
    }

    /// Queues an action that is poured while the station is busy.
    private func enqueue(_ action: Action, _ completion: ActionCompletion, from source: ActionSource) {
        let cause = status.contains(.isInstrumented) ? MessageContext.current : nil
        enqueue(PendingAction(action: action, completion: completion, cause: cause, source: source))
    }

    /// Queues an action behind the actions that wait.
    private func enqueue(_ pending: PendingAction<Action>) {
        queue.append(pending)
        status.insert(.hasPending)
    }

    /// Calls `body`, during which other actions wait, and then processes them, unless the station was busy before.
    func occupy(_ body: () -> Void) {
        if status.contains(.isBusy) { return body() }
        status.insert(.isBusy)
        body()
        drain()
    }

    /// Processes the actions that wait, in order.
    ///
    /// Then the station is free.
    private func drain() {
        cancelEffectsOfAbsentChildren()
        if status.contains(.hasPending) { processPending() }
        status.remove(.isBusy)
    }

    private func processPending() {
        var count = 0
        while let next = queue.popFirst() {
            count += 1
            if !(next.completion?.node.isCancelled ?? false) {
                process(next.action, countingTo: next.completion, causedBy: next.cause, from: next.source)
            }
            next.completion?.end()
        }
        // A long queue releases its memory. A short queue keeps it.
        if count > 64 { queue = [] }
        status.remove(.hasPending)
    }

    // MARK: Processing

    /// Reduces an action and starts its effects.
    ///
    /// The parts of a `PendingAction` are separate parameters here, and rare steps are separate functions, because generic code
    /// looks up the metadata of each generic type that it handles.
    private func process(
        _ action: Action,
        countingTo completion: ActionCompletion?,
        causedBy cause: MessageContext?,
        from source: ActionSource
    ) {
        if status.contains(.isInstrumented) {
            processAsMessage(action, countingTo: completion, causedBy: cause, from: source)
        } else {
            reduceAndStart(action, completion, causedBy: nil, from: source)
        }
        cancelEffectsOfAbsentChildren()
        if status.contains(.hasSubscriptions) { updateSubscriptions(afterReducing: action, completion) }
    }

    /// Reduces an action and starts its effects within the middleware and the observers.
    private func processAsMessage(
        _ action: Action,
        countingTo completion: ActionCompletion?,
        causedBy cause: MessageContext?,
        from source: ActionSource
    ) {
        let context = MessageContext(kind: .action, type: Action.self, causedBy: cause)
        for middleware in actionMiddleware where !middleware.shouldExecute(action, in: context) {
            return refuse(action, countingTo: completion, in: context, by: type(of: middleware))
        }
        let observers = observers.areListening ? observers : []
        let start = observers.isEmpty ? nil : clock.now
        for observer in observers { observer.messageBegan(action, in: context) }
        for middleware in actionMiddleware { middleware.willExecute(action, in: context) }

        MessageContext.withCurrent(context) {
            reduceAndStart(action, completion, causedBy: context, from: source)
        }

        for middleware in actionMiddleware.reversed() { middleware.didExecute(action, in: context, outcome: .success) }
        if let start {
            let duration = start.duration(to: clock.now)
            for observer in observers { observer.messageEnded(context, outcome: .success, after: duration) }
        }
    }

    private func refuse(
        _ action: Action,
        countingTo completion: ActionCompletion?,
        in context: MessageContext,
        by middleware: any ActionMiddleware.Type
    ) {
        let error = MessageError.refused(context, by: middleware)
        for observer in observers where observer.isListening {
            observer.messageBegan(action, in: context)
            observer.messageEnded(context, outcome: .failure(error), after: .zero)
        }
        (completion ?? completionOfCurrentPour()).fail(error)
        notifyOfFailure(error, of: action)
    }

    /// Reduces `action`, notifies the observers of its reduction, and starts its effect.
    private func reduceAndStart(
        _ action: Action,
        _ completion: ActionCompletion?,
        causedBy message: MessageContext?,
        from source: ActionSource
    ) {
        let effect = reduceAndNotify(action)
        if hasReductionObservers { notifyReductionObservers(of: action, completion ?? startedCompletion, from: source) }
        startEffect(effect, of: action, completion, causedBy: message)
    }

    @inline(never)
    private func notifyReductionObservers(of action: Action, _ completion: ActionCompletion?, from source: ActionSource)
    {
        for observer in reductionObservers { observer.reduced(state, action, source, completion) }
    }

    /// Reduces `action` and notifies the observers of the station.
    private func reduceAndNotify(_ action: Action) -> Effect<Action> {
        guard status.contains(.isRead), let stateDidChange else { return reduce(&state, action) }
        guard let isEqual else {
            let effect = reduce(&state, action)
            status.remove(.isRead)
            stateDidChange()
            return effect
        }
        let before = state
        let effect = reduce(&state, action)
        if !isEqual(before, state) {
            status.remove(.isRead)
            stateDidChange()
        }
        return effect
    }

    /// Starts the effect that `action` has returned.
    ///
    /// - Parameters:
    ///   - effect: The effect. An action that it sends at once waits behind the actions that wait already.
    ///   - action: The action.
    ///   - completion: The completion to which the action counts; `nil` for the completion of the current pour.
    ///   - message: The action as a message; `nil` if the station isn't instrumented.
    func startEffect(
        _ effect: Effect<Action>,
        of action: Action,
        _ completion: ActionCompletion?,
        causedBy message: MessageContext? = nil
    ) {
        switch effect.storage {
        case .none:
            return
        case .send(let next):
            send(next, countingTo: completion, causedBy: message)
        case .tree(let tree):
            let completion = completion ?? completionOfCurrentPour()
            let context = EffectContext(
                action: action,
                completion: completion,
                message: message,
                namespace: namespace,
                node: completion.node
            )
            startWork(tree, in: context, then: nil)
        }
    }

    /// Queues an action that an effect sends at once.
    func send(_ action: Action, countingTo completion: ActionCompletion?, causedBy message: MessageContext?) {
        completion?.begin()
        enqueue(PendingAction(action: action, completion: completion, cause: message, source: .effect))
    }

    /// The completion of the action that is being poured, which is made for its first effect.
    ///
    /// The end of the pour ends its first part.
    private func completionOfCurrentPour() -> ActionCompletion {
        if let startedCompletion { return startedCompletion }
        let made = ActionCompletion(in: runningEffects)
        startedCompletion = made
        return made
    }

    /// Cancels the effects of children that no longer exist.
    private func cancelEffectsOfAbsentChildren() {
        guard status.contains(.hasChildEffects) else { return }
        cancelAbsentChildren?(&state, namespace)
        if namespace.children.isEmpty { status.remove(.hasChildEffects) }
    }
}

/// The reasons why an action can't take the short cut; empty if it can.
@usableFromInline
struct StationStatus: OptionSet {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// An action is being reduced, or its effects are being started.
    ///
    /// Other actions wait.
    @inlinable static var isBusy: StationStatus { StationStatus(rawValue: 1) }

    /// Middleware or observers must be called for each action.
    @inlinable static var isInstrumented: StationStatus { StationStatus(rawValue: 2) }

    /// The state was read, possibly by an observer that must be notified of the next change.
    @inlinable static var isRead: StationStatus { StationStatus(rawValue: 4) }

    /// Actions are waiting in the queue until the station is free.
    @inlinable static var hasPending: StationStatus { StationStatus(rawValue: 8) }

    /// Effects of children have run, so after each action the core looks for children that were removed.
    @inlinable static var hasChildEffects: StationStatus { StationStatus(rawValue: 16) }

    /// The state can declare subscriptions, which the core compares after each action.
    @inlinable static var hasSubscriptions: StationStatus { StationStatus(rawValue: 32) }
}
