// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// A service that holds a model and changes it when it receives an action.
///
/// ```swift
/// Store(model: CounterModel.self)
///     .mutate(on: Increment.self) { model, action, send in
///         model.count += action.amount
///     }
///     .with(model: CounterModel())
/// ```
///
/// The model comes from the nearest ``Service/with(model:)`` above the store that provides this type. Without a model,
/// ``Bootstrap`` throws.
///
/// - A model that is a value belongs to the store. It starts as the provided value, and its mutations run one at a time, in
///   the order in which they arrived. Two stores under one `with(model:)` each have a copy.
/// - A model that is an actor, or a class isolated to an actor, is shared and protects itself.
/// - A model of a protocol type is treated as a value, because a handler can replace it.
public struct Store<Model: Sendable>: StoreService {
    /// Creates a store for a model of this type.
    public init(model: Model.Type) {}
}

/// A store, with or without modifiers.
///
/// `mutate(on:_:)` is available on stores only: a mutation without a store doesn't compile. ``Store`` and a modified store
/// conform. Your own service may conform if its body is one store: mutations added to the service then apply to that store.
public protocol StoreService<Model>: Service {
    /// The type of the store's model.
    associatedtype Model: Sendable
}

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
                ActionHandler(at: site) { (action: A, send) in
                    try await exclusive.mutate { model in try await handler(&model, action, send) }
                }
            }
        )
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
    public func mutate<A: Action>(
        on type: A.Type,
        _ handler: nonisolated(nonsending) @escaping @Sendable (Model, A, Send) async throws -> Void
    ) -> ModifiedService<Self> {
        handling(
            .mutate(A.self) { exclusive, site in
                ActionHandler(at: site) { (action: A, send) in try await handler(exclusive.initial, action, send) }
            }
        )
    }
}

extension StoreService where Model: Actor {
    /// Changes the model of the store on its actor when it receives an action of this type.
    ///
    /// The handler is isolated to the model: `{ (model: isolated IdentityModel, action, send) in … }`. Between two suspension
    /// points no other code runs on the actor. For order and errors see `mutate(on:_:)`.
    @_disfavoredOverload  // A handler without an isolated parameter calls the actor from outside.
    public func mutate<A: Action>(
        on type: A.Type,
        _ handler: @escaping @Sendable (isolated Model, A, Send) async throws -> Void
    ) -> ModifiedService<Self> {
        handling(
            .mutate(A.self) { exclusive, site in
                ActionHandler(at: site) { (action: A, send) in try await handler(exclusive.initial, action, send) }
            }
        )
    }
}

extension StoreService {
    /// Observes the actions of exactly this type together with the model, after the store has handled them.
    ///
    /// A value model is passed as the last finished mutation left it. For order and errors see `observe(_:)`.
    public func observe<A: Action>(
        on type: A.Type,
        _ observer: nonisolated(nonsending) @escaping @Sendable (Model, A) async -> Void
    ) -> ModifiedService<Self> {
        handling(
            .observe { model, site in
                Interceptor(.observe, on: A.self, at: site) { action, _ in await observer(model.current, action) }
            }
        )
    }
}

extension StoreService {
    /// Prepares the model of the store on the main actor, before the cluster handles its first action.
    ///
    /// For order and errors see `bootstrap(_:)`.
    @_disfavoredOverload  // A model that is an object uses the other overload.
    public func bootstrap(
        _ handler: @escaping @MainActor @Sendable (inout Model) async throws -> Void
    ) -> ModifiedService<Self> {
        handling(
            .bootstrap { exclusive, site in
                site.bootstrap {
                    try await exclusive.mutate { @MainActor model in try await handler(&model) }
                }
            }
        )
    }
}

extension StoreService where Model: AnyObject {
    /// Prepares the model of the store on the main actor, before the cluster handles its first action.
    ///
    /// For order and errors see `bootstrap(_:)`.
    public func bootstrap(
        _ handler: @escaping @MainActor @Sendable (Model) async throws -> Void
    ) -> ModifiedService<Self> {
        handling(.bootstrap { exclusive, site in site.bootstrap { try await handler(exclusive.initial) } })
    }
}

/// A modifier of a store that hasn't been read yet.
@MainActor
protocol PendingModifier: AnyObject {}

/// A handler for a store of this model that hasn't been read yet.
@MainActor
final class PendingHandler<Model: Sendable>: PendingModifier {
    enum Purpose {
        case mutate(any Action.Type, @MainActor (ExclusiveModel<Model>, ServiceSite) -> any AnyActionHandler)
        case observe(@MainActor (ExclusiveModel<Model>, ServiceSite) -> Interceptor)
        case bootstrap(@MainActor (ExclusiveModel<Model>, ServiceSite) -> BootstrapHandler)

        var actionType: (any Action.Type)? {
            if case .mutate(let type, _) = self { type } else { nil }
        }
    }

    let purpose: Purpose

    /// Whether a store has taken the handler.
    var isReached = false

    init(_ purpose: Purpose) {
        self.purpose = purpose
    }
}

extension StoreService {
    /// Returns the store with another handler.
    private func handling(_ handler: PendingHandler<Model>.Purpose) -> ModifiedService<Self> {
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

extension Store: BuiltInService {
    func beginReading(in context: ReadingContext) -> ServiceReading {
        ServiceReading(makeNode(in: context))
    }

    @MainActor
    private func makeNode(in context: ReadingContext) -> ServiceNode {
        let pending = context.pending.compactMap { $0 as? PendingHandler<Model> }
        for handler in pending { handler.isReached = true }
        let purposes = pending.map(\.purpose)
        guard let (provided, model) = context.model(of: Model.self) else {
            let actions = purposes.compactMap(\.actionType)
            context.findings.note(.missingModel(Model.self, actions: actions, at: context.path))
            return .empty
        }

        provided.isUsed = true
        let isObserved = purposes.contains { if case .observe = $0 { true } else { false } }
        let exclusive = ExclusiveModel(model, isObserved: isObserved, listener: provided.listener)
        let site = context.site
        var handlers: [ServiceNode] = []
        var observers: [Interceptor] = []
        for purpose in purposes {
            switch purpose {
            case .mutate(_, let make): handlers.append(ServiceNode(.handler(make(exclusive, site))))
            case .observe(let make): observers.append(make(exclusive, site))
            case .bootstrap(let make): context.findings.bootstraps.append(make(exclusive, site))
            }
        }
        let store = ServiceNode(ServiceNode(.list(handlers, .serial)), labelled: .store(Model.self))
        return observers.reduce(store) { ServiceNode(.modified($0, .interceptor($1))) }
    }
}
