//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

extension StationCore {
    /// Reduces `action`, or lets it wait where another one is being reduced.
    @usableFromInline
    func pourSlowly(_ action: Action) -> PourTask {
        if status.contains(.isBusy) {
            let activity = Activity()
            let cause = status.contains(.isWatched) ? MessageContext.current : nil
            enqueue(Pending(action: action, activity: activity, cause: cause, source: .program))
            return PourTask(activity)
        }
        status.insert(.isBusy)
        turn(action, of: nil, cause: nil, from: .program)
        return finishTurn()
    }

    /// Reduces `action` for an effect of `activity`.
    func deliver(_ action: Action, activity: Activity) {
        if status.isEmpty {
            status = .isBusy
            let effect = reduce(&state, action)
            if case .none = effect.storage, status == .isBusy {
                status = []
                return
            }
            start(effect, Setting(action: action, activity: activity, place: root))
            auditChildren()
        } else if status.contains(.isBusy) {
            activity.begin()
            let cause = status.contains(.isWatched) ? MessageContext.current : nil
            enqueue(Pending(action: action, activity: activity, cause: cause, source: .effect))
            return
        } else {
            status.insert(.isBusy)
            turn(action, of: activity, cause: nil, from: .effect)
        }
        drain()
    }

    /// Starts `effect` of an action that was reduced on the direct path, and reduces what waits.
    @usableFromInline
    func settle(_ effect: Effect<Action>, of action: Action) -> PourTask {
        start(effect, of: action, activity: nil, context: nil)
        auditChildren()
        return finishTurn()
    }

    /// Reduces what waits; then gives what the action that was poured has started.
    private func finishTurn() -> PourTask {
        drain()
        guard let activity = turnActivity else { return PourTask() }
        turnActivity = nil
        activity.end()
        return PourTask(activity)
    }

    func enqueue(_ pending: Pending<Action>) {
        queue.append(pending)
        status.insert(.hasPending)
    }

    /// Reduces what the end of an effect has sent.
    func drainAfterEffect() {
        auditChildren()
        drain()
    }

    /// Reduces what waits, in order; then the station is free.
    private func drain() {
        if status.contains(.hasPending) { reducePending() }
        status.remove(.isBusy)
    }

    private func reducePending() {
        while let next = queue.popFirst() {
            if !(next.activity?.isCancelled ?? false) {
                turn(next.action, of: next.activity, cause: next.cause, from: next.source)
            }
            next.activity?.end()
        }
        status.remove(.hasPending)
    }

    /// Reduces one action and starts its effects.
    private func turn(_ action: Action, of activity: Activity?, cause: MessageContext?, from source: ActionSource) {
        if status.contains(.isWatched) {
            turnWatched(action, of: activity, cause: cause, from: source)
        } else {
            start(reduceObserved(action), of: action, activity: activity, context: nil)
        }
        auditChildren()
    }

    /// Starts the effect of an action, in the station itself.
    func start(_ effect: Effect<Action>, of action: Action, activity: Activity?, context: MessageContext?) {
        switch effect.storage {
        case .none:
            return
        case .send(let next):
            send(next, activity: activity, cause: context)
        case .tree:
            let activity = activity ?? makeTurnActivity()
            start(effect, Setting(action: action, activity: activity, context: context, place: root))
        }
    }

    /// Has `action` reduced after what waits already.
    func send(_ action: Action, activity: Activity?, cause: MessageContext?) {
        activity?.begin()
        enqueue(Pending(action: action, activity: activity, cause: cause, source: .effect))
    }

    /// What the action that is being poured has started, with a first count that the end of the turn takes back.
    func makeTurnActivity() -> Activity {
        if let turnActivity { return turnActivity }
        let made = Activity()
        turnActivity = made
        return made
    }

    /// Reduces `action` and tells those who observe the station.
    func reduceObserved(_ action: Action) -> Effect<Action> {
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

    /// Ends the effects of children that are gone.
    func auditChildren() {
        if let audit, !root.children.isEmpty { audit(&state, root) }
        if root.children.isEmpty {
            status.remove(.hasChildEffects)
        } else {
            status.insert(.hasChildEffects)
        }
    }
}
