// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

extension StoreService {
    /// Changes the model of the store when it receives an action of this type.
    ///
    /// The model is a value. The handler has exclusive access to it, also while the handler is suspended. Changes are kept even
    /// if the handler throws. Several handlers for one action type run in the order written; an error ends them.
    ///
    /// A call of `send` returns after the action has been handled. If that action would change the same model, the mutation
    /// would wait for itself. It fails instead with a ``ServiceError`` with the code
    /// `ServiceError.Code.modelInUse`.
    ///
    /// - Parameters:
    ///   - type: The exact type of the actions.
    ///   - handler: Receives the model, the action, and a ``Send`` for other actions. Under `serial()`, it runs in the task and
    ///     on the actor of the sender. Next to concurrent services, it runs in a child task.
    /// - Returns: The service with the modifier.
    @_disfavoredOverload  // A model that is an object uses the other overload.
    public func mutate<A: Action>(
        on type: A.Type,
        _ handler: nonisolated(nonsending) @escaping @Sendable (inout Model, A, Send) async throws -> Void
    ) -> ModifiedService<Self> {
        handling(
            .mutate(A.self) { exclusive, site in
                let target = site.send.target
                return TypedHandler { (action: A, frame) in
                    try await exclusive.mutate { model in
                        try await handler(&model, action, Send(to: target, from: frame))
                    }
                }
                .reading(at: site)
            }
        )
    }

    /// Returns the store with another handler.
    func handling(_ handler: PendingHandler<Model>.Purpose) -> ModifiedService<Self> {
        ModifiedService(self) { context in
            let pending = PendingHandler(handler)
            context.pending.insert(pending, at: 0)
            let (findings, path) = (context.findings, context.path)
            return { base in
                if !pending.isReached {
                    findings.note(.unreachable(Model.self, action: handler.actionType, at: path))
                }
                return base
            }
        }
    }
}

extension StoreService where Model: AnyObject {
    /// Calls the model of the store when it receives an action of this type.
    ///
    /// The model is an object that protects itself: an actor, or a class isolated to an actor. Several handlers for one action
    /// type run in the order written; an error ends them. Handlers of different sends may run at the same time. A call of `send`
    /// returns after the action has been handled.
    ///
    /// - Parameters:
    ///   - type: The exact type of the actions.
    ///   - handler: Receives the model, the action, and a ``Send`` for other actions. Under `serial()`, it runs in the task and
    ///     on the actor of the sender. Next to concurrent services, it runs in a child task. For a model of the main actor,
    ///     write `{ @MainActor model, action, send in … }`.
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

    /// Returns the store with the handler that `makeHandler` makes from its model.
    @usableFromInline
    func calling<A: Action>(
        _ type: A.Type,
        _ makeHandler: @escaping @Sendable (Model, SendTarget) -> TypedHandler<A>
    ) -> ModifiedService<Self> {
        handling(
            .mutate(A.self) { exclusive, site in makeHandler(exclusive.initial, site.send.target).reading(at: site) }
        )
    }
}

extension StoreService where Model: Actor {
    /// Changes the model of the store on its actor when it receives an action of this type.
    ///
    /// The handler is isolated to the model: `{ (model: isolated IdentityModel, action, send) in … }`. Between two suspension
    /// points no other code runs on the actor. For order and errors see `mutate(on:_:)`.
    @inlinable
    @_disfavoredOverload  // A handler without an isolated parameter calls the actor from outside.
    public func mutate<A: Action>(
        on type: A.Type,
        _ handler: @escaping @Sendable (isolated Model, A, Send) async throws -> Void
    ) -> ModifiedService<Self> {
        calling(A.self) { model, target in
            TypedHandler { action, frame in try await handler(model, action, Send(to: target, from: frame)) }
        }
    }
}
