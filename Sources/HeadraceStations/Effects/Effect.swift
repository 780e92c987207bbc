//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What is to be done after an action was reduced, as a value that the station carries out.
///
/// ```swift
/// case .load:
///     return .run { pour in
///         let score = try await fetchScore()
///         pour(.loaded(score))
///     }
/// ```
///
/// It begins when the action and all that were poured before it have been reduced, on the actor of the station, in the
/// order in which effects were returned; it belongs to the station, and is cancelled with it. ``none`` allocates
/// nothing, nor does ``send(_:)``.
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

    init(_ kind: EffectTree<Action>.Kind) {
        storage = .tree(EffectTree(kind))
    }

    /// Nothing.
    @inlinable public static var none: Effect { Effect(Storage.none) }

    /// Has `action` reduced right after what is being reduced, and after what waits already.
    @inlinable
    public static func send(_ action: Action) -> Effect {
        Effect(Storage.send(action))
    }

    /// Does asynchronous work, which may pour actions.
    ///
    /// - Parameters:
    ///   - operation: Begins on the actor of the station, so that `pour(action)` reduces at once; what it awaits may
    ///     leave it, as calls of other actors and of `@concurrent` functions do. Where the effect is cancelled before
    ///     its turn has come, not a line of it runs.
    ///   - handler: Is given what `operation` throws, unless the effect was cancelled. Without it, the error is the
    ///     failure of the action's ``PourTask``, and observers are told.
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
            }
        )
    }

    /// Fails with `error` at once: the task of the action throws it, and observers are told.
    public static func fail(_ error: any Error) -> Effect {
        Effect(.fail(error))
    }

    /// Does all of `effects` at once; it ends when the last of them does.
    public static func merge(_ effects: Effect...) -> Effect { merge(effects) }

    /// Does all of `effects` at once; it ends when the last of them does.
    public static func merge(_ effects: [Effect]) -> Effect {
        effects.reduce(into: .none) { $0.add($1) }
    }

    /// Does each of `effects` when the one before it has ended: its own work, not that of the actions that it poured.
    ///
    /// Where one fails, the rest is not done. Where one is cancelled by its own id, the rest is.
    public static func concatenate(_ effects: Effect...) -> Effect { concatenate(effects) }

    /// Does each of `effects` when the one before it has ended: its own work, not that of the actions that it poured.
    public static func concatenate(_ effects: [Effect]) -> Effect {
        let effects = effects.filter { !$0.isNone }
        return effects.count > 1 ? Effect(.concatenate(effects)) : effects.first ?? .none
    }

    /// Cancels what is under way or waits under `id`, in the same node of the same station.
    ///
    /// It is carried out when its action has been reduced. What it cancels pours nothing more, and what was started in
    /// the same turn of the actor runs no line.
    public static func cancel(id: some Hashable & Sendable) -> Effect {
        Effect(.cancel(EffectID(id)))
    }

    /// The same effect, whose actions are those that `transform` makes of its own.
    @inlinable
    public func map<Other: Sendable>(_ transform: @escaping @Sendable (Action) -> Other) -> Effect<Other> {
        switch storage {
        case .none: .none
        case .send(let action): .send(transform(action))
        case .tree(let tree): Self.map(tree, transform)
        }
    }

    @usableFromInline
    static func map<Other: Sendable>(
        _ tree: EffectTree<Action>,
        _ transform: @escaping @Sendable (Action) -> Other
    ) -> Effect<Other> {
        Effect<Other>(tree.kind.map(transform))
    }

    /// The same effect, started in the namespace of a child.
    @usableFromInline
    func within(_ key: ChildKey) -> Effect {
        if case .tree = storage { Effect(.child(key, self)) } else { self }
    }

    /// Whether there is nothing to do.
    @inlinable
    var isNone: Bool {
        if case .none = storage { true } else { false }
    }

    /// Does `other` as well.
    @inlinable
    mutating func add(_ other: Effect) {
        if other.isNone { return }
        if isNone { self = other } else { join(other) }
    }

    @usableFromInline
    mutating func join(_ other: Effect) {
        switch storage {
        case .none:
            self = other
        case .tree(let tree):
            if case .merge(let effects) = tree.kind {
                self = Effect(.merge(effects + [other]))
            } else {
                self = Effect(.merge([self, other]))
            }
        case .send:
            self = Effect(.merge([self, other]))
        }
    }
}
