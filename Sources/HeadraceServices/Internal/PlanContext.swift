//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// How siblings take an action.
enum Strategy: Sendable { case serial, concurrent }

/// What holds where a service stands, while the tree is read.
@MainActor
struct PlanContext {
    var values: ServiceEnvironmentValues
    var strategy = Strategy.concurrent
    var path: PlanPath?

    /// The models given above, the nearest last.
    var models: [ModelSource] = []

    /// The hooks and error transforms above, the nearest last.
    var surroundings: [Surrounding] = []

    /// What the store below is to do, in the order written.
    var pending: [any Pending] = []

    var bindings: EnvironmentBindings?
    let collector: PlanCollector

    var site: PlanSite { PlanSite(send: values.send, bindings: bindings) }

    func entering(_ step: PlanPath.Step) -> PlanContext {
        var inner = self
        inner.path = PlanPath(step, within: path)
        return inner
    }

    /// The nearest model of this type, and who gives it.
    func model<Model>(of type: Model.Type) -> (ModelSource, Model)? {
        for source in models.reversed() {
            if let model = source.model as? Model { return (source, model) }
        }
        return nil
    }
}

/// A modifier around services that takes part in handling an action.
enum Surrounding: Sendable {
    case hook(HookMoment, any Hook)
    case transform(ErrorTransform)

    /// A node with this modifier around `inner`.
    func node(around inner: Node, label: Node.Label? = nil) -> Node {
        switch self {
        case .hook(let moment, let hook): Node(.hook(moment, hook, inner), label: label)
        case .transform(let transform): Node(.transform(transform, inner), label: label)
        }
    }
}

/// A model given by `with(model:)`, before stores take it.
@MainActor
final class ModelSource {
    let model: any Sendable
    let listener: (@Sendable (any Sendable) -> Void)?
    var isUsed = false

    init(_ model: any Sendable) {
        self.model = model
        listener = nil
    }

    init<Model: Sendable>(_ model: Model, listener: @escaping @Sendable (Model) -> Void) {
        self.model = model
        self.listener = { if let model = $0 as? Model { listener(model) } }
    }
}

/// What is found out while the tree is read.
@MainActor
final class PlanCollector {
    var bootstraps: [BootstrapHandler] = []
    var emitters: [Emitter] = []
    var transformed: [(action: any Action.Type, path: PlanPath?)] = []
    private(set) var problems: [ServiceTreeProblem] = []

    func note(_ problem: ServiceTreeProblem) {
        problems.append(problem)
    }
}

typealias BootstrapHandler = @MainActor @Sendable () async throws -> Void

/// What a handler knows of the place where it stands.
struct PlanSite: Sendable {
    let send: Send
    let bindings: EnvironmentBindings?

    /// A bootstrap handler that reads the environment of this place.
    func bootstrap(_ handler: @escaping BootstrapHandler) -> BootstrapHandler {
        guard let bindings else { return handler }
        let scope = EnvironmentScope(bindings: bindings, frame: nil)
        return { try await EnvironmentScope.$current.binding(scope) { try await handler() } }
    }
}
