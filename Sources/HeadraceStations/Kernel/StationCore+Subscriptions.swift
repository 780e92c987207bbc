//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A subscription of a station.
struct RunningSubscription {
    /// The scope of the effect, without the effects of the actions that it pours.
    let scope: EffectScope

    /// The object of the declaration; `nil` if it has none.
    let object: AnyObject?
}

/// Stands for the action of an effect that the initial state has started.
private struct NoAction: Sendable {}

extension StationCore {
    /// Whether the drippers can declare subscriptions.
    var hasSubscriptions: Bool { declare != nil }

    /// Names of the subscriptions that haven't ended, in alphabetical order.
    var subscriptionNames: [String] {
        subscriptions.filter(\.value.scope.isActive).map { "\($0.key.id.base)" }.sorted()
    }

    /// Number of tasks of subscriptions that are running, without the tasks of the actions that they have poured.
    var subscriptionTaskCount: Int { subscriptions.values.reduce(0) { $0 + $1.scope.taskCount } }

    /// Starts the subscriptions of the initial state, unless they were started.
    ///
    /// The first action does so if it comes before the station has done it.
    func startSubscriptions() {
        guard hasSubscriptions, !haveSubscriptionsStarted, !status.contains(.isBusy) else { return }
        haveSubscriptionsStarted = true
        status.insert(.isBusy)
        updateSubscriptions(after: nil, nil)
        drain()
    }

    /// Starts and ends subscriptions after `action` was reduced.
    ///
    /// It is separate, because an optional action needs a look-up of its type.
    @inline(never)
    func updateSubscriptions(afterReducing action: Action, _ completion: ActionCompletion?) {
        updateSubscriptions(after: action, completion)
    }

    /// Starts and cancels subscriptions so that those of the state are running.
    ///
    /// `completion` is the completion to which `action` counts; `nil` for the completion that is being poured.
    private func updateSubscriptions(after action: Action?, _ completion: ActionCompletion?) {
        guard let declare else { return }
        let declared = declare(state)
        let keys = Set(declared.map(\.key))
        for each in declared {
            guard let action, let update = each.update, let object = subscriptions[each.key]?.object else { continue }
            start(update(object), of: action, completion: completion, message: nil)
        }
        if keys.count == subscriptions.count, keys.allSatisfy({ subscriptions[$0] != nil }) { return }
        for (key, subscription) in subscriptions where !keys.contains(key) {
            subscriptions[key] = nil
            subscription.scope.cancel()
        }
        for each in declared where subscriptions[each.key] == nil { begin(each, after: action) }
    }

    private func begin(_ declared: DeclaredSubscription<Action>, after action: Action?) {
        let completion = ActionCompletion(in: runningEffects)
        let scope = EffectScope(within: completion.scope)
        let (effect, object) = declared.begin()
        subscriptions[declared.key] = RunningSubscription(scope: scope, object: object)
        let cause: any Sendable = if let action { action } else { NoAction() }
        let context = EffectContext(
            action: cause,
            completion: completion,
            message: nil,
            namespace: EffectNamespace(),
            scope: scope
        )
        start(effect, context) { _ in scope.end() }
        completion.end()
    }
}
