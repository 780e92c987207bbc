// SPDX-License-Identifier: Apache-2.0

/// A model that `with(model:)` provides for the stores under it.
@MainActor
final class ProvidedModel {
    let model: any Sendable
    let listener: (@Sendable (any Sendable) -> Void)?

    /// Whether a store has taken the model.
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
