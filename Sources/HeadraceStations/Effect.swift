// SPDX-License-Identifier: Apache-2.0

/// Work that a station does after it has reduced an action.
///
/// ```swift
/// case .load:
///     return .run { pour in
///         let score = try await fetchScore()
///         pour(.loaded(score))
///     }
/// ```
///
/// A dripper returns an effect as a value, and the station runs it. Effects begin on the actor of the station, after the
/// action and all actions that were poured before it have been reduced, in the order in which they were returned. An
/// effect belongs to its station and is cancelled when the station is released. ``none`` and ``send(_:)`` allocate
/// nothing.
public struct Effect<Action: Sendable>: Sendable {
    @usableFromInline
    enum Storage: Sendable {
        case none
        case send(Action)
        case tree(EffectTree<Action>)
    }

    @usableFromInline var storage: Storage

    @inlinable
    init(_ storage: Storage) {
        self.storage = storage
    }

    init(_ tree: EffectTree<Action>) {
        storage = .tree(tree)
    }

    /// No work: the action only changes the state.
    @inlinable public static var none: Effect { Effect(Storage.none) }

    /// Reduces `action` after the current action and the actions that already wait.
    @inlinable
    public static func send(_ action: Action) -> Effect {
        Effect(Storage.send(action))
    }

    /// Runs asynchronous work that can pour actions.
    ///
    /// - Parameters:
    ///   - operation: The work. It begins on the actor of the station, so `pour(action)` reduces at once. Calls to other
    ///     actors and to `@concurrent` functions leave the actor as usual. If the effect is cancelled before it begins,
    ///     the operation isn't called.
    ///   - handler: Handles an error of `operation`, unless the effect was cancelled. Without a handler, the action's
    ///     ``PourTask`` throws the error, and observers are notified.
    /// - Returns: The effect.
    public static func run(
        _ operation: nonisolated(nonsending) @escaping @Sendable (_ pour: Pour<Action>) async throws -> Void,
        catch handler: (nonisolated(nonsending) @Sendable (_ error: any Error, _ pour: Pour<Action>) async -> Void)? =
            nil
    ) -> Effect {
        guard let handler else { return Effect(.run(operation)) }
        return Effect(
            .run { pour in
                do {
                    try await operation(pour)
                } catch {
                    if pour.isCancelled { throw error }
                    await handler(error, pour)
                }
            })
    }

    /// Fails with `error` at once: the ``PourTask`` of the action throws it, and observers are notified.
    public static func fail(_ error: any Error) -> Effect {
        Effect(.fail(error))
    }

    /// Starts all of `effects` at once.
    ///
    /// The merged effect ends when the last of them ends.
    public static func merge(_ effects: Effect...) -> Effect { merge(effects) }

    /// Starts all of `effects` at once.
    ///
    /// The merged effect ends when the last of them ends.
    public static func merge(_ effects: [Effect]) -> Effect {
        effects.reduce(into: .none) { $0.add($1) }
    }

    /// Starts each of `effects` when the effect before it has ended.
    ///
    /// An effect has ended when its own work is done; the effects of the actions that it has poured may still run. If
    /// an effect fails or is cancelled, the effects after it don't start.
    public static func concatenate(_ effects: Effect...) -> Effect { concatenate(effects) }

    /// Starts each of `effects` when the effect before it has ended.
    public static func concatenate(_ effects: [Effect]) -> Effect {
        let effects = effects.filter { !$0.isNone }
        return effects.count > 1 ? Effect(.concatenate(effects)) : effects.first ?? .none
    }

    /// Cancels the running and the waiting effects with `id`, in the same child of the same station.
    ///
    /// The effects are cancelled when the action has been reduced. A cancelled effect pours nothing more. An effect
    /// that was started in the same turn of the actor never runs.
    public static func cancel(id: some Hashable & Sendable) -> Effect {
        Effect(.cancel(EffectID(id)))
    }

    /// The same effect, with each of its actions replaced by the result of `transform`.
    @inlinable
    public func map<Other: Sendable>(_ transform: @escaping @Sendable (Action) -> Other) -> Effect<Other> {
        switch storage {
        case .none: .none
        case .send(let action): .send(transform(action))
        case .tree(let tree): Effect<Other>(Effect<Other>.Storage.tree(tree.map(transform)))
        }
    }

    /// The same effect, started in the namespace of a child.
    @usableFromInline
    func within(_ key: ChildKey) -> Effect {
        if case .tree = storage { Effect(.child(key, self)) } else { self }
    }

    /// Whether the effect is ``none``, so nothing needs to be started.
    @inlinable
    var isNone: Bool {
        if case .none = storage { true } else { false }
    }

    /// Merges `other` into this effect, without an allocation if one of them is ``none``.
    @inlinable
    mutating func add(_ other: Effect) {
        if other.isNone { return }
        if isNone { self = other } else { join(other) }
    }

    @usableFromInline
    mutating func join(_ other: Effect) {
        if case .tree(.merge(let effects)) = storage {
            self = Effect(.merge(effects + [other]))
        } else {
            self = Effect(.merge([self, other]))
        }
    }
}

extension Effect {
    /// Runs asynchronous work, and pours the action that `action` makes from its result.
    ///
    /// ```swift
    /// return .outcome(of: { try await client.score() }) { .scoreLoaded($0) }
    /// ```
    ///
    /// Use it to turn the result of a command or a query into an action. Errors become actions too. A cancelled effect
    /// pours nothing.
    ///
    /// - Parameters:
    ///   - operation: The work, which begins on the actor of the station. Its value doesn't need to be `Sendable`
    ///     because it stays on that actor.
    ///   - action: Makes an action from the value or the error of `operation`.
    /// - Returns: The effect.
    public static func outcome<Value>(
        of operation: nonisolated(nonsending) @escaping @Sendable () async throws -> Value,
        as action: @escaping @Sendable (Result<Value, any Error>) -> Action
    ) -> Effect {
        .run { pour in
            let result: Result<Value, any Error>
            do {
                result = .success(try await operation())
            } catch {
                result = .failure(error)
            }
            pour(action(result))
        }
    }
}

/// The message that middleware and observers receive for an effect.
///
/// Its kind is `effect`, and its cause is the action that has started the effect.
public struct EffectMessage<Action: Sendable>: Sendable {
    /// The action that the station was reducing when the effect was returned.
    public let action: Action
}

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

    /// The effect of a child, whose ids are valid only within the child.
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
