// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

extension StationCore {
    /// Called when an effect has ended.
    ///
    /// `isDone` is `false` if the effect failed, was cancelled, or was dropped.
    typealias EndHandler = (_ isDone: Bool) -> Void

    /// Starts `effect`, and calls `onEnd` when it has ended, possibly before this method returns.
    func start(_ effect: Effect<Action>, _ context: EffectContext, then onEnd: EndHandler? = nil) {
        switch effect.storage {
        case .none:
            onEnd?(true)
        case .send(let action):
            send(action, completion: context.completion, cause: context.message)
            onEnd?(true)
        case .tree(let tree):
            start(tree, context, then: onEnd)
        }
    }

    func start(_ tree: EffectTree<Action>, _ context: EffectContext, then onEnd: EndHandler?) {
        switch tree.content {
        case .run(let operation): launch(operation, context, then: onEnd)
        case .compound(let compound): start(compound, context, then: onEnd)
        }
    }

    private func start(_ compound: CompoundEffect<Action>, _ context: EffectContext, then onEnd: EndHandler?) {
        switch compound.kind {
        case .fail(let error):
            context.completion.fail(error)
            notifyOfFailure(error, context)
            onEnd?(false)
        case .merge(let effects):
            merge(effects, context, then: onEnd)
        case .concatenate(let effects):
            EffectSequence(effects, context, core: self, onEnd: onEnd).advance()
        case .child(let key, let effect):
            status.insert(.hasChildEffects)
            var context = context
            context.namespace = context.namespace.child(key)
            begin(effect, under: nil, context, then: onEnd)
        case .identified(let id, let policy, let effect):
            start(effect, under: id, policy, context, then: onEnd)
        case .cancel(let id):
            context.namespace.cancel(id)
            onEnd?(true)
        case .throttle(let id, let rule, let effect):
            throttle(effect, under: id, rule, context, then: onEnd)
        case .share(let change):
            share(change, context)
            onEnd?(true)
        }
    }

    private func merge(_ effects: [Effect<Action>], _ context: EffectContext, then onEnd: EndHandler?) {
        guard let onEnd else {
            for effect in effects { start(effect, context) }
            return
        }
        var open = effects.count
        var areAllDone = true
        for effect in effects {
            start(effect, context) { isDone in
                open -= 1
                areAllDone = areAllDone && isDone
                if open == 0 { onEnd(areAllDone) }
            }
        }
    }

    private func start(
        _ effect: Effect<Action>,
        under id: EffectID,
        _ policy: EffectPolicy,
        _ context: EffectContext,
        then onEnd: EndHandler?
    ) {
        let namespace = context.namespace
        switch policy.kind {
        case .concurrent:
            break
        case .latest:
            namespace.cancel(id)
        case .drop:
            if namespace.isRunning(id) {
                onEnd?(false)
                return
            }
        case .queue(let limit):
            if namespace.isRunning(id) {
                enqueue(effect, under: id, limit: limit, context, then: onEnd)
                return
            }
        case .newest(let count):
            namespace.cancelOldest(id, leaving: count - 1)
        case .oldest(let count):
            if namespace.runningCount(id) >= count {
                onEnd?(false)
                return
            }
        }
        begin(effect, under: id, context, then: onEnd)
    }

    /// Starts `effect` in a new scope, which the namespace stores under `id`.
    func begin(
        _ effect: Effect<Action>,
        under id: EffectID?,
        _ context: EffectContext,
        then onEnd: EndHandler?
    ) {
        var inner = context
        inner.scope = context.namespace.makeScope(id, within: context.scope)
        start(effect, under: id, in: inner, then: onEnd)
    }

    /// Starts `effect` in the scope of `context`, which the namespace has stored under `id`.
    func start(
        _ effect: Effect<Action>,
        under id: EffectID?,
        in context: EffectContext,
        then onEnd: EndHandler?
    ) {
        let (namespace, scope) = (context.namespace, context.scope)
        start(effect, context) { isDone in
            onEnd?(isDone && !scope.isCancelled)
            namespace.end(scope, id)
        }
    }

    private func enqueue(
        _ effect: Effect<Action>,
        under id: EffectID,
        limit: Int,
        _ context: EffectContext,
        then onEnd: EndHandler?
    ) {
        let completion = context.completion
        completion.begin()
        let queued = QueuedEffect { [weak self] in
            if let self, !context.scope.isCancelled {
                begin(effect, under: id, context, then: onEnd)
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

    private func launch(
        _ operation: @escaping EffectTree<Action>.Operation,
        _ context: EffectContext,
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

    private func notifyOfFailure(_ error: any Error, _ context: EffectContext) {
        notifyOfFailure(error, of: context.action as? Action)
    }

    /// Continues after an effect that runs code has ended.
    func effectEnded(
        _ context: EffectContext,
        isDone: Bool,
        failure: (any Error)?,
        onEnd: EndHandler?
    ) {
        if let failure { notifyOfFailure(failure, context) }
        let wasFree = !status.contains(.isBusy)
        if wasFree { status.insert(.isBusy) }
        onEnd?(isDone)
        if wasFree { drainAfterEffect() }
    }
}
