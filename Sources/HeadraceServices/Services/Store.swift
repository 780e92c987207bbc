// SPDX-License-Identifier: Apache-2.0

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

extension Store: BuiltInService {
    func beginReading(in context: ReadingContext) -> ServiceReading {
        ServiceReading(makeNode(in: context))
    }

    @MainActor
    private func makeNode(in context: ReadingContext) -> TreeNode {
        let pending = context.pending.compactMap { $0 as? PendingHandler<Model> }
        for handler in pending { handler.isReached = true }
        let purposes = pending.map(\.purpose)
        guard let (provided, model) = context.model(of: Model.self) else {
            let actions = purposes.compactMap(\.actionType)
            context.findings.note(.missingModel(Model.self, actions: actions, at: context.path))
            return TreeNode(.store([]), label: .store(Model.self))
        }

        provided.isUsed = true
        let isObserved = purposes.contains { if case .observe = $0 { true } else { false } }
        let exclusive = ExclusiveModel(model, isObserved: isObserved, listener: provided.listener)
        let site = context.site
        var handlers: [any ActionHandler] = []
        var observers: [any Interceptor] = []
        for purpose in purposes {
            switch purpose {
            case .mutate(_, let make): handlers.append(make(exclusive, site))
            case .observe(let make): observers.append(make(exclusive, site))
            case .bootstrap(let make): context.findings.bootstraps.append(make(exclusive, site))
            }
        }
        let store = TreeNode(.store(handlers), label: .store(Model.self))
        return observers.reduce(store) { TreeNode(.modified($0, .interceptor(.observe, $1))) }
    }
}
