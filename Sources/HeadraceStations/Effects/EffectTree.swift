// SPDX-License-Identifier: Apache-2.0

/// The content of an effect that is more than an action to send.
///
/// It is indirect, so its size doesn't depend on `Action`, and generic code handles it without a look-up of the metadata of a
/// generic type.
@usableFromInline
indirect enum EffectTree<Action: Sendable>: Sendable {
    @usableFromInline typealias Operation = nonisolated(nonsending) @Sendable (Pour<Action>) async throws -> Void

    case run(Operation)
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

    /// Returns the same effect, with each of its actions replaced by the result of `transform`.
    @usableFromInline
    func map<Other: Sendable>(_ transform: @escaping @Sendable (Action) -> Other) -> EffectTree<Other> {
        switch self {
        case .run(let operation): .run { pour in try await operation(pour.map(transform)) }
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
