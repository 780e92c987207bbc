// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

extension StationCore {
    /// Starts a throttled effect, or lets it wait for the end of the interval, or drops it.
    func throttle(
        _ effect: Effect<Action>,
        under id: EffectID,
        _ rule: ThrottleRule,
        _ context: EffectContext,
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
                begin(effect, under: id, context, then: onEnd)
                return
            }
        }
        if rule.trailing == .none || rule.trailing == .first && waiting != nil {
            onEnd?(false)
            return
        }
        waiting?.cancel()
        let beginning = namespace.throttles[id]?.lastBeginning ?? now
        wait(until: beginning.advanced(by: rule.interval), toBegin: effect, under: id, context, then: onEnd)
    }

    /// Starts `effect` at `due`, or earlier if the next throttled effect arrives after `due` and before the delay has ended.
    private func wait(
        until due: ContinuousClock.Instant,
        toBegin effect: Effect<Action>,
        under id: EffectID,
        _ context: EffectContext,
        then onEnd: EndHandler?
    ) {
        let namespace = context.namespace
        let scope = namespace.makeScope(id, within: context.scope)
        let delay = EffectScope(within: scope)
        var inner = context
        inner.scope = scope
        let waiting = WaitingEffect(due: due, scope: scope, delay: delay) { [weak self, inner] in
            guard let self, !scope.isCancelled else {
                onEnd?(false)
                namespace.end(scope, id)
                return
            }
            namespace.throttles[id] = Throttle(lastBeginning: clock.now)
            start(effect, under: id, in: inner, then: onEnd)
        }
        namespace.throttles[id]?.waiting = waiting

        inner.scope = delay
        start(.run { pour in try await pour.clock.sleep(until: due, tolerance: nil) }, inner) { isDone in
            delay.end()
            if isDone {
                waiting.begin()
            } else if waiting.drop() {
                namespace.remove(waiting, id)
                onEnd?(false)
                namespace.end(scope, id)
            }
        }
    }
}
