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
        pour(action, from: .program, slot: nil)
    }

    /// Reduces `action` for an effect of `slot`'s activity.
    func deliver(_ action: Action, slot: ActivitySlot) {
        guard status.isEmpty else {
            _ = pour(action, from: .effect, slot: slot)
            return
        }
        status = .isBusy
        let effect = reduce(&state, action)
        guard case .none = effect.storage, status == .isBusy else {
            start(effect, Setting(origin: Origin(action: action, slot: slot), place: root))
            auditChildren()
            drain()
            return
        }
        status = []
    }

    private func pour(_ action: Action, from source: ActionSource, slot: ActivitySlot?) -> PourTask {
        if status.contains(.isBusy) {
            let slot = slot ?? ActivitySlot(Activity())
            if source == .effect { slot.activity?.begin() }
            enqueue(
                Pending(
                    action: action,
                    slot: slot,
                    isCounted: true,
                    cause: status.contains(.isWatched) ? .current : nil,
                    source: source
                )
            )
            return PourTask(slot.activity)
        }
        status.insert(.isBusy)
        let slot = slot ?? ActivitySlot()
        turn(Pending(action: action, slot: slot, isCounted: false, cause: .current, source: source))
        drain()
        if source == .program { slot.activity?.end() }
        return PourTask(slot.activity)
    }

    /// Starts `effect` of an action that was reduced on the direct path, and reduces what waits.
    @usableFromInline
    func settle(_ effect: Effect<Action>, of action: Action) -> PourTask {
        let slot = ActivitySlot()
        start(effect, Setting(origin: Origin(action: action, slot: slot), place: root))
        auditChildren()
        drain()
        slot.activity?.end()
        return PourTask(slot.activity)
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
        while let next = queue.popFirst() {
            if !(next.slot.activity?.isCancelled ?? false) { turn(next) }
            if next.isCounted { next.slot.activity?.end() }
        }
        status.remove(.isBusy)
        status.remove(.hasPending)
    }

    /// Reduces one action and starts its effects.
    private func turn(_ pending: Pending<Action>) {
        if status.contains(.isWatched) {
            turnWatched(pending)
        } else {
            let effect = reduceObserved(pending.action)
            start(effect, Setting(origin: Origin(action: pending.action, slot: pending.slot), place: root))
        }
        auditChildren()
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
