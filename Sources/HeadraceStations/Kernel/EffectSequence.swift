// SPDX-License-Identifier: Apache-2.0

/// Starts each effect of a concatenation when the effect before it has ended.
final class EffectSequence<State, Action: Sendable> {
    private let effects: [Effect<Action>]
    private let context: EffectContext
    private weak let core: StationCore<State, Action>?
    private let onEnd: StationCore<State, Action>.EndHandler?
    private var next = 0

    init(
        _ effects: [Effect<Action>],
        _ context: EffectContext,
        core: StationCore<State, Action>,
        onEnd: StationCore<State, Action>.EndHandler?
    ) {
        self.effects = effects
        self.context = context
        self.core = core
        self.onEnd = onEnd
    }

    /// Starts the next effect, and the effects after it as long as each ends at once.
    ///
    /// The loop keeps the stack from growing with the number of effects.
    func advance() {
        while true {
            guard let core, next < effects.count, !context.scope.isCancelled else {
                onEnd?(next == effects.count && !context.scope.isCancelled)
                return
            }
            let effect = effects[next]
            next += 1
            var hasEnded = false
            var isStarting = true
            core.start(effect, context) { isDone in
                if !isDone { self.next = self.effects.count + 1 }
                hasEnded = true
                if !isStarting { self.advance() }
            }
            isStarting = false
            if !hasEnded { return }
        }
    }
}
