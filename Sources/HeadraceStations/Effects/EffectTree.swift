// SPDX-License-Identifier: Apache-2.0

/// The content of an effect that is more than an action to send.
@usableFromInline
final class EffectTree<Action: Sendable>: Sendable {
    typealias Operation = nonisolated(nonsending) @Sendable (Pour<Action>) async throws -> Void

    /// The two forms of content.
    ///
    /// Most effects only run code. The size of that form doesn't depend on `Action`, so generic code handles it without a look-up of
    /// the metadata of a generic type.
    enum Content: Sendable {
        case run(Operation)
        case compound(CompoundEffect<Action>)
    }

    let content: Content

    init(_ content: Content) {
        self.content = content
    }
}

/// An effect that isn't only code to run.
final class CompoundEffect<Action: Sendable>: Sendable {
    enum Kind: Sendable {
        case fail(any Error)
        case merge([Effect<Action>])
        case concatenate([Effect<Action>])

        /// The effect of a child.
        case child(ChildKey, Effect<Action>)

        case identified(EffectID, EffectPolicy, Effect<Action>)
        case cancel(EffectID)
        case throttle(EffectID, ThrottleRule, Effect<Action>)

        /// Writes a shared value, and waits until it was saved.
        case share(SharedChange)
    }

    let kind: Kind

    init(_ kind: Kind) {
        self.kind = kind
    }
}

extension EffectTree {
    func map<Other: Sendable>(_ transform: @escaping @Sendable (Action) -> Other) -> Effect<Other> {
        switch content {
        case .run(let operation): Effect(running: { pour in try await operation(pour.map(transform)) })
        case .compound(let compound): Effect(compound.kind.map(transform))
        }
    }
}

extension CompoundEffect.Kind {
    fileprivate func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Action) -> Other
    ) -> CompoundEffect<Other>.Kind {
        switch self {
        case .fail(let error): .fail(error)
        case .merge(let effects): .merge(effects.map { $0.map(transform) })
        case .concatenate(let effects): .concatenate(effects.map { $0.map(transform) })
        case .child(let key, let effect): .child(key, effect.map(transform))
        case .identified(let id, let policy, let effect): .identified(id, policy, effect.map(transform))
        case .cancel(let id): .cancel(id)
        case .throttle(let id, let rule, let effect): .throttle(id, rule, effect.map(transform))
        case .share(let change): .share(change)
        }
    }
}
