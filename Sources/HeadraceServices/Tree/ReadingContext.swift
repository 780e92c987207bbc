// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// Everything that the tree has set for the service that is being read.
@MainActor
struct ReadingContext {
    var values: ServiceEnvironmentValues
    var strategy = TreeNode.Strategy.concurrent
    var path: TreePath?

    /// The models provided above the service, the nearest last.
    var models: [ProvidedModel] = []

    /// The interceptors and error transforms around the service, the nearest last.
    var modifiers: [TreeNode.Modifier] = []

    /// The modifiers of the store below, in the order written.
    var pending: [any PendingModifier] = []

    var bindings: EnvironmentBindings?
    let findings: Findings

    var site: ServiceSite { ServiceSite(send: values.send, bindings: bindings) }

    func entering(_ component: TreePath.Component) -> ReadingContext {
        var inner = self
        inner.path = TreePath(component, within: path)
        return inner
    }

    /// Returns the nearest model of this type and its provider.
    func model<Model>(of type: Model.Type) -> (ProvidedModel, Model)? {
        for provided in models.reversed() {
            if let model = provided.model as? Model { return (provided, model) }
        }
        return nil
    }
}
