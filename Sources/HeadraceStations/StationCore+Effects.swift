// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// The origin of an effect that is being started.
///
/// The type isn't generic because generic code looks up the metadata of a generic type each time it handles a value.
struct EffectContext {
    /// The action that has returned the effect.
    let action: any Sendable

    /// The completion to which the effect counts.
    let completion: ActionCompletion

    /// The action as a message; `nil` if the station isn't instrumented.
    let message: MessageContext?

    /// The child in which the ids of the effect are valid.
    var namespace: EffectNamespace

    /// The innermost node around the effect.
    var node: EffectNode
}

extension StationCore {
    /// Called when an effect has ended.
    ///
    /// `isDone` is `false` if the effect failed, was cancelled, or was dropped.
    typealias EndHandler = (_ isDone: Bool) -> Void

    /// Starts `effect`, and calls `onEnd` when it has ended, possibly before this method returns.
    func start(_ effect: Effect<Action>, in context: EffectContext, then onEnd: EndHandler? = nil) {
        switch effect.storage {
        case .none:
            onEnd?(true)
        case .send(let action):
            send(action, countingTo: context.completion, causedBy: context.message)
            onEnd?(true)
        case .tree(let tree):
            startWork(tree, in: context, then: onEnd)
        }
    }

    /// Starts an effect that is more than an action to send.
    func startWork(_ tree: EffectTree<Action>, in context: EffectContext, then onEnd: EndHandler?) {
        switch tree {
        case .run(let operation):
            launch(operation, in: context, then: onEnd)
        case .fail(let error):
            context.completion.fail(error)
            notifyOfFailure(error, of: context.action as? Action)
            onEnd?(false)
        case .merge(let effects):
            startAll(effects, in: context, then: onEnd)
        case .concatenate(let effects):
            startInTurn(effects[...], in: context, then: onEnd)
        case .child(let key, let effect):
            status.insert(.hasChildEffects)
            var context = context
            context.namespace = context.namespace.child(key)
            startInNewNode(effect, under: nil, in: context, then: onEnd)
        case .identified(let id, let policy, let effect):
            startUnderPolicy(effect, under: id, policy, in: context, then: onEnd)
        case .cancel(let id):
            context.namespace.cancel(id)
            onEnd?(true)
        case .throttle(let id, let rule, let effect):
            throttle(effect, under: id, rule, in: context, then: onEnd)
        case .share(let change):
            share(change, context)
            onEnd?(true)
        }
    }

    /// Starts the task that runs the code of an effect.
    private func launch(
        _ operation: @escaping EffectTree<Action>.Operation,
        in context: EffectContext,
        then onEnd: EndHandler?
    ) {
        guard let actor = runningEffects.actor else {
            preconditionFailure("An action was poured into a station that has no actor yet.")
        }
        context.completion.begin()
        let task = EffectTask(core: self, operation: operation, context: context, onEnd: onEnd)
        if let message = context.message {
            MessageContext.withCurrent(message) { task.launch(on: actor) }
        } else {
            task.launch(on: actor)
        }
    }

    /// Continues after an effect that runs code has ended.
    func effectEnded(_ context: EffectContext, isDone: Bool, failure: (any Error)?, onEnd: EndHandler?) {
        if let failure { notifyOfFailure(failure, of: context.action as? Action) }
        occupy { onEnd?(isDone) }
    }

    /// Starts all of `effects`, and calls `onEnd` when the last of them has ended.
    private func startAll(_ effects: [Effect<Action>], in context: EffectContext, then onEnd: EndHandler?) {
        guard let onEnd else {
            for effect in effects { start(effect, in: context) }
            return
        }
        var open = effects.count
        var areAllDone = true
        for effect in effects {
            start(effect, in: context) { isDone in
                open -= 1
                areAllDone = areAllDone && isDone
                if open == 0 { onEnd(areAllDone) }
            }
        }
    }

    /// Starts each of `effects` when the effect before it has ended.
    ///
    /// The loop keeps the stack from growing with the number of effects that end at once.
    private func startInTurn(_ effects: ArraySlice<Effect<Action>>, in context: EffectContext, then onEnd: EndHandler?)
    {
        for (index, effect) in zip(effects.indices, effects) {
            if context.node.isCancelled {
                onEnd?(false)
                return
            }
            var outcome: Bool?
            var isStarting = true
            start(effect, in: context) { [weak self] isDone in
                outcome = isDone
                if isStarting { return }
                if isDone, let self {
                    startInTurn(effects[(index + 1)...], in: context, then: onEnd)
                } else {
                    onEnd?(false)
                }
            }
            isStarting = false
            guard let outcome else { return }
            if !outcome {
                onEnd?(false)
                return
            }
        }
        onEnd?(!context.node.isCancelled)
    }

    // MARK: Effects with an id

    /// Starts `effect` as soon as `policy` allows it, or drops it.
    private func startUnderPolicy(
        _ effect: Effect<Action>,
        under id: EffectID,
        _ policy: EffectPolicy,
        in context: EffectContext,
        then onEnd: EndHandler?
    ) {
        let namespace = context.namespace
        switch policy.kind {
        case .concurrent:
            break
        case .latest:
            namespace.cancel(id)
        case .newest(let count):
            namespace.cancelOldest(id, leaving: count - 1)
        case .drop where namespace.isRunning(id):
            onEnd?(false)
            return
        case .oldest(let count) where namespace.runningCount(id) >= count:
            onEnd?(false)
            return
        case .queue(let limit) where namespace.isRunning(id):
            enqueue(effect, under: id, limit: limit, in: context, then: onEnd)
            return
        case .drop, .oldest, .queue:
            break
        }
        startInNewNode(effect, under: id, in: context, then: onEnd)
    }

    /// Starts `effect` in a new node, which the namespace stores under `id`.
    private func startInNewNode(
        _ effect: Effect<Action>,
        under id: EffectID?,
        in context: EffectContext,
        then onEnd: EndHandler?
    ) {
        var inner = context
        inner.node = context.namespace.makeNode(id, within: context.node)
        startInOwnNode(effect, under: id, in: inner, then: onEnd)
    }

    /// Starts `effect` in the node of `context`, which the namespace has stored under `id`, and which ends with the effect.
    private func startInOwnNode(
        _ effect: Effect<Action>,
        under id: EffectID?,
        in context: EffectContext,
        then onEnd: EndHandler?
    ) {
        let (namespace, node) = (context.namespace, context.node)
        start(effect, in: context) { isDone in
            onEnd?(isDone && !node.isCancelled)
            namespace.end(node, id)
        }
    }

    /// Queues `effect` until no other effect with `id` runs, or drops it if the queue is full.
    private func enqueue(
        _ effect: Effect<Action>,
        under id: EffectID,
        limit: Int,
        in context: EffectContext,
        then onEnd: EndHandler?
    ) {
        let completion = context.completion
        completion.begin()
        let queued = QueuedEffect { [weak self] in
            if let self, !context.node.isCancelled {
                startInNewNode(effect, under: id, in: context, then: onEnd)
            } else {
                onEnd?(false)
            }
            completion.end()
        } drop: {
            onEnd?(false)
            completion.end()
        }
        if !context.namespace.enqueue(queued, under: id, limit: limit) { queued.drop() }
    }

    // MARK: Throttled effects

    /// Starts a throttled effect, or lets it wait for the end of the interval, or drops it.
    private func throttle(
        _ effect: Effect<Action>,
        under id: EffectID,
        _ rule: ThrottleRule,
        in context: EffectContext,
        then onEnd: EndHandler?
    ) {
        let namespace = context.namespace
        let now = clock.now
        if let due = namespace.waitingEffect(id), due.due <= now { due.begin() }

        let waiting = namespace.waitingEffect(id)
        let last = namespace.throttles[id]?.lastBeginning
        let isOutside = last.map { $0.advanced(by: rule.interval) <= now } ?? true
        if isOutside, waiting == nil {
            namespace.throttles[id] = Throttle(lastBeginning: now)
            if rule.leading {
                startInNewNode(effect, under: id, in: context, then: onEnd)
                return
            }
        }
        if rule.trailing == .none || rule.trailing == .first && waiting != nil {
            onEnd?(false)
            return
        }
        waiting?.cancel()
        let beginning = namespace.throttles[id]?.lastBeginning ?? now
        wait(until: beginning.advanced(by: rule.interval), toStart: effect, under: id, in: context, then: onEnd)
    }

    /// Starts `effect` at `due`, or earlier if the next throttled effect arrives after `due` and before the delay has ended.
    private func wait(
        until due: ContinuousClock.Instant,
        toStart effect: Effect<Action>,
        under id: EffectID,
        in context: EffectContext,
        then onEnd: EndHandler?
    ) {
        let namespace = context.namespace
        let node = namespace.makeNode(id, within: context.node)
        let delay = EffectNode(within: node)
        var inner = context
        inner.node = node
        let waiting = WaitingEffect(due: due, node: node, delay: delay) { [weak self, inner] in
            guard let self, !node.isCancelled else {
                onEnd?(false)
                namespace.end(node, id)
                return
            }
            namespace.throttles[id] = Throttle(lastBeginning: clock.now)
            startInOwnNode(effect, under: id, in: inner, then: onEnd)
        }
        namespace.throttles[id]?.waiting = waiting

        inner.node = delay
        start(.run { pour in try await pour.clock.sleep(until: due, tolerance: nil) }, in: inner) { isDone in
            delay.end()
            if isDone {
                waiting.begin()
            } else if waiting.drop() {
                namespace.remove(waiting, id)
                onEnd?(false)
                namespace.end(node, id)
            }
        }
    }
}
