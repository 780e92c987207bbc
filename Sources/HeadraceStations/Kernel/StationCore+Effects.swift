//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// For whom and where an effect is started.
///
/// It is not generic, because generic code looks a generic type up each time that it handles a value of it.
struct Setting {
    /// The action that has started it.
    let action: any Sendable

    let activity: Activity

    /// The action as a message, where somebody watches.
    var context: MessageContext?

    var place: Place
    var group: EffectGroup?

    /// Whether what is to start in it was cancelled meanwhile.
    var isCancelled: Bool { group?.isCancelled ?? false || activity.isCancelled }
}

extension StationCore {
    /// Is told that an effect has ended; whether it has done all that it was to.
    typealias Completion = (_ isDone: Bool) -> Void

    /// Starts `effect`, and calls `completion` when it has ended, which may be at once.
    func start(_ effect: Effect<Action>, _ setting: Setting, then completion: Completion? = nil) {
        switch effect.storage {
        case .none:
            completion?(true)
        case .send(let action):
            send(
                action,
                activity: setting.activity,
                cause: status.contains(.isWatched) ? setting.context : nil
            )
            completion?(true)
        case .tree(let tree):
            start(tree, setting, then: completion)
        }
    }

    private func start(_ tree: EffectTree<Action>, _ setting: Setting, then completion: Completion?) {
        switch tree.kind {
        case .run(let operation):
            launch(operation, setting, then: completion)
        case .fail(let error):
            setting.activity.fail(error)
            tellOfFailure(error, setting)
            completion?(false)
        case .merge(let effects):
            merge(effects, setting, then: completion)
        case .concatenate(let effects):
            EffectSequence(effects, setting, core: self, completion: completion).advance()
        case .child(let key, let effect):
            var setting = setting
            setting.place = setting.place.child(key)
            status.insert(.hasChildEffects)
            start(effect, setting, then: completion)
        case .identified(let id, let policy, let effect):
            start(effect, under: id, policy, setting, then: completion)
        case .cancel(let id):
            setting.place.cancel(id)
            completion?(true)
        case .throttle(let id, let interval, let latest, let effect):
            throttle(effect, under: id, for: interval, latest: latest, setting, then: completion)
        case .mark(let id):
            setting.place.beginnings[id] = clock.now
            completion?(true)
        }
    }

    private func merge(_ effects: [Effect<Action>], _ setting: Setting, then completion: Completion?) {
        guard let completion else {
            for effect in effects { start(effect, setting) }
            return
        }
        var open = effects.count
        var isDone = true
        for effect in effects {
            start(effect, setting) { isThisDone in
                open -= 1
                isDone = isDone && isThisDone
                if open == 0 { completion(isDone) }
            }
        }
    }

    private func start(
        _ effect: Effect<Action>,
        under id: EffectID,
        _ policy: EffectPolicy,
        _ setting: Setting,
        then completion: Completion?
    ) {
        let place = setting.place
        switch policy.kind {
        case .concurrent:
            break
        case .latest:
            place.cancel(id)
        case .drop:
            if place.hasGroup(id) {
                completion?(false)
                return
            }
        case .queue(let limit):
            if place.hasGroup(id) {
                wait(effect, under: id, limit: limit, setting, then: completion)
                return
            }
        }
        begin(effect, under: id, setting, then: completion)
    }

    private func begin(
        _ effect: Effect<Action>,
        under id: EffectID,
        _ setting: Setting,
        then completion: Completion?
    ) {
        let group = EffectGroup(id, within: setting.group)
        var inner = setting
        inner.group = group
        setting.place.add(group)
        start(effect, inner) { [place = setting.place] isDone in
            let isDone = isDone && !group.isCancelled
            completion?(isDone)
            place.remove(group)
        }
    }

    private func wait(
        _ effect: Effect<Action>,
        under id: EffectID,
        limit: Int,
        _ setting: Setting,
        then completion: Completion?
    ) {
        let activity = setting.activity
        activity.begin()
        let waiter = Place.Waiter { [weak self] in
            if let self, !setting.isCancelled {
                begin(effect, under: id, setting, then: completion)
            } else {
                completion?(false)
            }
            activity.end()
        } drop: {
            completion?(false)
            activity.end()
        }
        if !setting.place.wait(waiter, under: id, limit: limit) {
            completion?(false)
            activity.end()
        }
    }

    private func throttle(
        _ effect: Effect<Action>,
        under id: EffectID,
        for interval: Duration,
        latest: Bool,
        _ setting: Setting,
        then completion: Completion?
    ) {
        let now = clock.now
        guard let last = setting.place.beginnings[id], last.advanced(by: interval) > now else {
            setting.place.beginnings[id] = now
            // What waits came earlier and is not the latest any more.
            setting.place.cancel(id.companion)
            begin(effect, under: id, setting, then: completion)
            return
        }
        guard latest else {
            completion?(false)
            return
        }
        let wait = Effect<Action>(
            .identified(id.companion, .latest, .sleep(for: now.duration(to: last.advanced(by: interval))))
        )
        begin(.concatenate(wait, Effect(.mark(id)), effect), under: id, setting, then: completion)
    }

    private func launch(
        _ operation: @escaping EffectTree<Action>.Operation,
        _ setting: Setting,
        then completion: Completion?
    ) {
        let run = EffectRun()
        let activity = setting.activity
        activity.begin(run)
        let actor = lifetime.add(run)
        setting.place.add(run)
        setting.group?.add(run)
        if setting.isCancelled { run.cancel() }
        let ticket = EffectTicket(core: self, operation: operation, run: run, setting: setting, completion: completion)
        guard let actor else {
            preconditionFailure("An action was poured into a station that has no actor yet.")
        }
        if let context = setting.context {
            MessageContext.withCurrent(context) { ticket.launch(on: actor) }
        } else {
            ticket.launch(on: actor)
        }
    }

    private func tellOfFailure(_ error: any Error, _ setting: Setting) {
        guard let action = setting.action as? Action else { return }
        for tap in taps { tap.failed?(error, action) }
    }

    /// Is told by the ticket of `run` that it has ended.
    func ended(_ run: EffectRun, _ setting: Setting, failure: (any Error)?, completion: Completion?) {
        if let failure {
            tellOfFailure(failure, setting)
        }
        let isAlone = !status.contains(.isBusy)
        if isAlone { status.insert(.isBusy) }
        setting.group?.remove(run)
        completion?(failure == nil && !run.isCancelled)
        setting.place.remove(run)
        if isAlone { drainAfterEffect() }
    }
}

/// Starts one effect when the one before it has ended.
private final class EffectSequence<State, Action: Sendable> {
    private let effects: [Effect<Action>]
    private let setting: Setting
    private weak let core: StationCore<State, Action>?
    private let completion: StationCore<State, Action>.Completion?
    private var next = 0

    init(
        _ effects: [Effect<Action>],
        _ setting: Setting,
        core: StationCore<State, Action>,
        completion: StationCore<State, Action>.Completion?
    ) {
        self.effects = effects
        self.setting = setting
        self.core = core
        self.completion = completion
    }

    /// Starts the next, and those after it as long as they end at once: however many, the stack does not grow.
    func advance() {
        while true {
            guard let core, next < effects.count, !setting.isCancelled else {
                completion?(next == effects.count && !setting.isCancelled)
                return
            }
            let effect = effects[next]
            next += 1
            var hasEnded = false
            var isStarting = true
            core.start(effect, setting) { isDone in
                if !isDone { self.next = self.effects.count + 1 }
                hasEnded = true
                if !isStarting { self.advance() }
            }
            isStarting = false
            if !hasEnded { return }
        }
    }
}
