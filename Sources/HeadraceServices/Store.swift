//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Keeps a model and changes it when an action comes.
///
/// ```swift
/// Store(model: CounterModel.self)
///     .mutate(on: Increment.self) { model, action, send in
///         model.count += action.amount
///     }
///     .with(model: CounterModel())
/// ```
///
/// The model comes from the nearest ``Service/with(model:)`` above that gives one of this type; a cluster without it is
/// not made.
///
/// - A model that is a value belongs to the store: it begins as the value given, two stores under one `with(model:)` have
///   one each, and its mutations are made one after the other, in the order in which they come.
/// - A model that is an actor or a class of an actor is shared by whoever has it, and protects itself.
/// - A model of a protocol's type counts as a value: it may be replaced.
public struct Store<Model: Sendable>: StoreService {
    /// Creates a store for a model of this type.
    public init(model: Model.Type) {}
}

extension Store: BuiltInService {
    func beginReading(in context: PlanContext) -> ServiceReading {
        ServiceReading(makeNode(in: context))
    }

    @MainActor
    private func makeNode(in context: PlanContext) -> Node {
        let pending = context.pending.compactMap { $0 as? PendingHandler<Model> }
        for handler in pending { handler.isReached = true }
        let purposes = pending.map(\.purpose)
        guard let (source, model) = context.model(of: Model.self) else {
            let actions = purposes.compactMap(\.actionType)
            context.collector.note(.missingModel(Model.self, actions: actions, at: context.path))
            return Node(.store([]), label: .store(Model.self))
        }

        source.isUsed = true
        let isObserved = purposes.contains { if case .observe = $0 { true } else { false } }
        let box = ModelBox(model, isObserved: isObserved, listener: source.listener)
        let site = context.site
        var handlers: [any Handler] = []
        var hooks: [any Hook] = []
        for purpose in purposes {
            switch purpose {
            case .mutate(_, let make): handlers.append(make(box, site))
            case .observe(let make): hooks.append(make(box, site))
            case .bootstrap(let make): context.collector.bootstraps.append(make(box, site))
            }
        }
        let store = Node(.store(handlers), label: .store(Model.self))
        return hooks.reduce(store) { Node(.hook(.observe, $1, $0)) }
    }
}
