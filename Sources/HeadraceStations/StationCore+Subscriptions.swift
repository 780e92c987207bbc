// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HeadraceCore

/// A subscription that the state declares now, whether or not its effect still runs.
struct RunningSubscription {
    /// Whether a modifier has added the subscription.
    let isImplicit: Bool

    /// The completion to which the effect of the subscription and the actions that it pours count.
    let completion: ActionCompletion

    /// The node of the effect, without the effects of the actions that it pours.
    let node: EffectNode

    /// The object of the declaration; `nil` if it has none.
    let object: AnyObject?
}

/// Stands for the action of an effect that the initial state has started.
private struct NoAction: Sendable {}

extension StationCore {
    /// Whether the drippers can declare subscriptions.
    var hasSubscriptions: Bool { declare != nil }

    /// Names of the subscriptions of ``StateSubscriptions`` that haven't ended, in alphabetical order.
    package var subscriptionNames: [String] {
        subscriptions.filter { $0.value.node.isActive && !$0.value.isImplicit }.map { "\($0.key.id.base)" }.sorted()
    }

    /// Number of tasks of subscriptions that are running, without the tasks of the actions that they have poured.
    package var subscriptionTaskCount: Int { subscriptions.values.reduce(0) { $0 + $1.node.taskCount } }

    /// Starts the subscriptions of the initial state, unless they were started.
    ///
    /// The first action does so if it comes before the station has done it.
    package func startSubscriptions() {
        guard hasSubscriptions, !haveSubscriptionsStarted, !status.contains(.isBusy) else { return }
        haveSubscriptionsStarted = true
        occupy { updateSubscriptions(after: nil, nil) }
    }

    /// Starts and ends subscriptions after `action` was reduced.
    @inline(never)
    func updateSubscriptions(afterReducing action: Action, _ completion: ActionCompletion?) {
        updateSubscriptions(after: action, completion)
    }

    /// Starts and cancels subscriptions so that exactly the subscriptions of the state are running.
    ///
    /// `completion` is the completion to which `action` counts; `nil` for the completion that is being poured.
    private func updateSubscriptions(after action: Action?, _ completion: ActionCompletion?) {
        guard let declare else { return }
        let declared = declare(state)
        let keys = Set(declared.map(\.key))
        var first: [PendingAction<Action>] = []
        for each in declared {
            guard let action, let update = each.update, let running = subscriptions[each.key],
                let object = running.object
            else { continue }
            let (effect, next) = update(object)
            startEffect(effect, of: action, completion)
            if let next { first.append(makePending(next, of: running)) }
        }
        if keys.count != subscriptions.count || keys.contains(where: { subscriptions[$0] == nil }) {
            let ended = subscriptions.filter { !keys.contains($0.key) }
            for (key, subscription) in ended.sorted(by: { $0.value.node.number < $1.value.node.number }) {
                subscriptions[key] = nil
                subscription.node.cancel()
            }
            for each in declared where subscriptions[each.key] == nil {
                if let next = begin(each, after: action) { first.append(next) }
            }
        }
        if first.isEmpty { return }
        queue.prepend(contentsOf: first)
        status.insert(.hasPending)
    }

    /// Starts a subscription, and returns the action that is reduced before all actions that wait.
    private func begin(_ declared: DeclaredSubscription<Action>, after action: Action?) -> PendingAction<Action>? {
        let completion = ActionCompletion(in: runningEffects)
        let node = EffectNode(within: completion.node)
        let beginning = declared.begin()
        let running = RunningSubscription(
            isImplicit: declared.isImplicit,
            completion: completion,
            node: node,
            object: beginning.object
        )
        subscriptions[declared.key] = running
        let cause: any Sendable = if let action { action } else { NoAction() }
        let context = EffectContext(
            action: cause,
            completion: completion,
            message: nil,
            namespace: EffectNamespace(),
            node: node
        )
        start(beginning.effect, in: context) { _ in node.end() }
        let first = beginning.first.map { makePending($0, of: running) }
        completion.end()
        return first
    }

    /// Returns an action that counts to a subscription, or to nothing else if the effect of the subscription has ended.
    private func makePending(_ action: Action, of running: RunningSubscription) -> PendingAction<Action> {
        let hasEnded = running.completion.isFinished
        // A new completion has begun, and a finished one can't begin again: its node is no longer among the running effects.
        let completion = hasEnded ? ActionCompletion(in: runningEffects) : running.completion
        if !hasEnded { completion.begin() }
        return PendingAction(action: action, completion: completion, cause: nil, source: .effect)
    }

    /// Writes a shared value.
    ///
    /// The action waits for the save, not the child, because the action may have removed the child.
    func share(_ change: SharedChange, _ context: EffectContext) {
        var key = change.key
        key.path = context.namespace.path
        guard let save = change.write(subscriptions[key]?.object, taskExecutor) else { return }
        var context = context
        context.node = context.completion.node
        start(.run { _ in try await save.wait().get() }, in: context)
    }
}

/// A subscription that a dripper declares for a state.
@usableFromInline
struct DeclaredSubscription<Action: Sendable> {
    var key: SubscriptionKey

    /// Whether a modifier has added the subscription; ``StateSubscriptions`` don't declare it.
    var isImplicit = false

    /// Called once when the state begins to declare the subscription.
    let begin: () -> SubscriptionStart<Action>

    /// Called with the object of the subscription after each action while the subscription stays declared.
    ///
    /// It returns an effect, and an action that is reduced before all actions that wait.
    let update: ((AnyObject) -> (effect: Effect<Action>, first: Action?))?

    /// Returns the subscription of a child as a subscription of its parent.
    @usableFromInline
    func within<Parent: Sendable>(
        _ child: ChildKey,
        _ embed: @escaping @Sendable (Action) -> Parent
    ) -> DeclaredSubscription<Parent> {
        var key = key
        key.path.insert(child, at: 0)
        return DeclaredSubscription<Parent>(
            key: key,
            isImplicit: isImplicit,
            begin: {
                let start = begin()
                return SubscriptionStart(
                    effect: start.effect.map(embed),
                    object: start.object,
                    first: start.first.map(embed)
                )
            },
            update: update.map { update in
                { object in
                    let (effect, first) = update(object)
                    return (effect.map(embed), first.map(embed))
                }
            }
        )
    }
}

/// The parts of a subscription that starts.
struct SubscriptionStart<Action: Sendable> {
    /// The effect that runs as long as the subscription is declared.
    let effect: Effect<Action>

    /// An object that belongs to the subscription.
    var object: AnyObject?

    /// An action that is reduced before all actions that wait.
    var first: Action?
}

/// Identifies a subscription among those that all drippers of a station declare.
struct SubscriptionKey: Hashable, Sendable {
    /// The children around the subscription, the outermost first.
    var path: [ChildKey] = []

    /// Number of the dripper that declares the subscription, counting from 1.
    let number: Int

    let id: EffectID
}
