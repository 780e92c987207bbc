//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

extension StoreService {
    /// Changes the model of the store when an action of this type comes.
    ///
    /// The model is a value, and nobody else changes it meanwhile, however often `handler` is suspended. What the handler has
    /// changed is kept, also when it throws. Several handlers for one action run in the order written, each after the
    /// one before it has succeeded.
    ///
    /// What the handler sends is handled before `send` returns. If that leads back to the same store, it would wait for
    /// itself, and fails instead: ``ServiceError`` with the code ``ServiceError/Code-swift.struct/modelInUse``.
    ///
    /// - Parameters:
    ///   - type: The type of the actions, exactly this one.
    ///   - handler: Is given the model, the action, and what sends other actions. Under `serial()` it runs in the task and
    ///     on the actor of the sender, beside others in a child task.
    /// - Returns: The service with the modifier.
    @_disfavoredOverload  // A model that is an object takes the other one.
    public func mutate<A: Action>(
        on type: A.Type,
        _ handler: nonisolated(nonsending) @escaping @Sendable (inout Model, A, Send) async throws -> Void
    ) -> ModifiedService<Self> {
        handling(
            .mutate(A.self) { box, site in
                let target = site.send.target
                return TypedHandler { (action: A, frame) in
                    try await box.mutate { model in
                        try await handler(&model, action, Send(to: target, from: frame))
                    }
                }
                .reading(at: site)
            }
        )
    }

    /// Adds to what the store is to do.
    func handling(_ handler: PendingHandler<Model>.Purpose) -> ModifiedService<Self> {
        ModifiedService(self) { context in
            let pending = PendingHandler(handler)
            context.pending.insert(pending, at: 0)
            let (collector, path) = (context.collector, context.path)
            return { base in
                if !pending.isReached {
                    collector.note(.unreachable(Model.self, action: handler.actionType, at: path))
                }
                return base
            }
        }
    }
}

extension StoreService where Model: AnyObject {
    /// Calls the model of the store when an action of this type comes.
    ///
    /// The model is an object, which protects itself: an actor, or a class of an actor. Several handlers for one action run
    /// in the order written, each after the one before it has succeeded; those of several actions may run at once. What the
    /// handler sends is handled before `send` returns.
    ///
    /// - Parameters:
    ///   - type: The type of the actions, exactly this one.
    ///   - handler: Is given the model, the action, and what sends other actions. It runs where the one of a value would;
    ///     `{ @MainActor model, action, send in … }` runs where a model of the main actor lives.
    /// - Returns: The service with the modifier.
    @inlinable @inline(__always)
    public func mutate<A: Action>(
        on type: A.Type,
        _ handler: nonisolated(nonsending) @escaping @Sendable (Model, A, Send) async throws -> Void
    ) -> ModifiedService<Self> {
        calling(A.self) { model, target in
            TypedHandler { action, frame in try await handler(model, action, Send(to: target, from: frame)) }
        }
    }

    /// Has the store do what `makeHandler` makes of its model.
    @usableFromInline
    func calling<A: Action>(
        _ type: A.Type,
        _ makeHandler: @escaping @Sendable (Model, SendTarget) -> TypedHandler<A>
    ) -> ModifiedService<Self> {
        handling(
            .mutate(A.self) { box, site in makeHandler(box.initial, site.send.target).reading(at: site) }
        )
    }
}

extension StoreService where Model: Actor {
    /// Changes the model of the store from within, when an action of this type comes.
    ///
    /// The handler runs on the actor: `{ (model: isolated IdentityModel, action, send) in … }`. Between two suspensions nobody
    /// else is there. For the rest see `mutate(on:_:)`.
    @inlinable
    @_disfavoredOverload  // A handler that says nothing of isolation calls the actor from outside.
    public func mutate<A: Action>(
        on type: A.Type,
        _ handler: @escaping @Sendable (isolated Model, A, Send) async throws -> Void
    ) -> ModifiedService<Self> {
        calling(A.self) { model, target in
            TypedHandler { action, frame in try await handler(model, action, Send(to: target, from: frame)) }
        }
    }
}
