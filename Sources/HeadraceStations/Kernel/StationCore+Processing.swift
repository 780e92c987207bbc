// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HeadraceCore

extension StationCore {
    /// Queues `action` if the station is busy; otherwise processes it.
    @usableFromInline
    func pourQueued(_ action: Action) -> PourTask {
        if status.contains(.isBusy) {
            let completion = ActionCompletion(in: runningEffects)
            enqueue(action, completion: completion, source: .program)
            return PourTask(completion)
        }
        if status.contains(.hasSubscriptions), !haveSubscriptionsStarted { startSubscriptions() }
        status.insert(.isBusy)
        process(action, completion: nil, cause: nil, source: .program)
        return finishPour()
    }

    /// Reduces `action` for an effect that counts to `completion`.
    func deliver(_ action: Action, completion: ActionCompletion) {
        if status.isEmpty {
            _ = reduceDirectly(action, completion: completion)
        } else if status.contains(.isBusy) {
            completion.begin()
            enqueue(action, completion: completion, source: .effect)
        } else {
            status.insert(.isBusy)
            process(action, completion: completion, cause: nil, source: .effect)
            drain()
        }
    }

    /// Starts `effect`, which `action` has returned on the direct path, and reduces the actions that wait.
    @usableFromInline
    func finishDirectly(_ effect: Effect<Action>, of action: Action, completion: ActionCompletion?) -> PourTask {
        start(effect, of: action, completion: completion, message: nil)
        cancelEffectsOfAbsentChildren()
        return finishPour()
    }

    /// Reduces the actions that wait, and returns the task of the poured action.
    private func finishPour() -> PourTask {
        drain()
        guard let completion = pouredCompletion else { return PourTask() }
        pouredCompletion = nil
        completion.end()
        return PourTask(completion)
    }

    /// Queues `action` behind the actions that wait, after the effect of the current action.
    func send(_ action: Action, completion: ActionCompletion?, cause: MessageContext?) {
        completion?.begin()
        enqueue(PendingAction(action: action, completion: completion, cause: cause, source: .effect))
    }

    func enqueue(_ action: Action, completion: ActionCompletion, source: ActionSource) {
        let cause = status.contains(.isInstrumented) ? MessageContext.current : nil
        enqueue(PendingAction(action: action, completion: completion, cause: cause, source: source))
    }

    private func enqueue(_ pending: PendingAction<Action>) {
        queue.append(pending)
        status.insert(.hasPending)
    }

    /// Reduces the actions that the end of an effect has sent.
    func drainAfterEffect() {
        cancelEffectsOfAbsentChildren()
        drain()
    }

    /// Reduces the actions that wait, in order.
    ///
    /// Then the station is free.
    func drain() {
        if status.contains(.hasPending) { processPending() }
        status.remove(.isBusy)
    }

    private func processPending() {
        var count = 0
        while let next = queue.popFirst() {
            count += 1
            if !(next.completion?.scope.isCancelled ?? false) {
                process(next.action, completion: next.completion, cause: next.cause, source: next.source)
            }
            next.completion?.end()
        }
        // A long queue releases its memory. A short queue keeps it.
        if count > 64 { queue = [] }
        status.remove(.hasPending)
    }

    /// Reduces one action and starts its effects.
    private func process(
        _ action: Action,
        completion: ActionCompletion?,
        cause: MessageContext?,
        source: ActionSource
    ) {
        if status.contains(.isInstrumented) {
            processInstrumented(action, completion: completion, cause: cause, source: source)
        } else {
            processDirectly(action, completion: completion)
        }
        cancelEffectsOfAbsentChildren()
        if status.contains(.hasSubscriptions) { updateSubscriptions(afterReducing: action, completion) }
    }

    /// Reduces an action of a station without middleware and observers.
    ///
    /// It is separate, because it looks up the metadata of the effect's type.
    @inline(never)
    private func processDirectly(_ action: Action, completion: ActionCompletion?) {
        start(reduceAndNotify(action), of: action, completion: completion, message: nil)
    }

    /// Starts the effect that `action` has returned.
    func start(
        _ effect: Effect<Action>,
        of action: Action,
        completion: ActionCompletion?,
        message: MessageContext?
    ) {
        switch effect.storage {
        case .none:
            return
        case .send(let next):
            send(next, completion: completion, cause: message)
        case .tree(let tree):
            let completion = completion ?? makePouredCompletion()
            let context = EffectContext(
                action: action,
                completion: completion,
                message: message,
                namespace: namespace,
                scope: completion.scope
            )
            start(tree, context, then: nil)
        }
    }

    /// The completion of the action that is being poured.
    ///
    /// `finishPour()` ends its first part.
    func makePouredCompletion() -> ActionCompletion {
        if let pouredCompletion { return pouredCompletion }
        let made = ActionCompletion(in: runningEffects)
        pouredCompletion = made
        return made
    }

    /// Reduces `action` and notifies the observers of the station.
    func reduceAndNotify(_ action: Action) -> Effect<Action> {
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

    /// Cancels the effects of children that no longer exist.
    private func cancelEffectsOfAbsentChildren() {
        guard status.contains(.hasChildEffects) else { return }
        cancelAbsentChildren?(&state, namespace)
        if namespace.children.isEmpty { status.remove(.hasChildEffects) }
    }
}
