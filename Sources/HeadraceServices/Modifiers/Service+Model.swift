// SPDX-License-Identifier: Apache-2.0

extension Service {
    /// Provides this model for the stores of its type under the modifier.
    ///
    /// A modifier nearer to a store takes precedence.
    ///
    /// A store of a protocol type takes the nearest model that conforms to the protocol.
    public func with<Model: Sendable>(model: Model) -> ModifiedService<Self> {
        with(ProvidedModel(model))
    }

    /// Provides a model as ``with(model:)`` does, and calls `onChange` with each value of a value model, including the first.
    package func with<Model: Sendable>(
        model: Model,
        onChange: @escaping @Sendable (Model) -> Void
    ) -> ModifiedService<Self> {
        with(ProvidedModel(model, listener: onChange))
    }

    private func with(_ provided: @escaping @autoclosure @MainActor () -> ProvidedModel) -> ModifiedService<Self> {
        ModifiedService(self) { context in
            let provided = provided()
            context.models.append(provided)
            let (findings, path) = (context.findings, context.path)
            return { base in
                if !provided.isUsed { findings.note(.unusedModel(type(of: provided.model), at: path)) }
                return base
            }
        }
    }
}
