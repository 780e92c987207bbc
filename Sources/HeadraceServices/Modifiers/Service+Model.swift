//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Service {
    /// Gives this model to the stores under it that want one of its type, unless a nearer one does.
    ///
    /// A store for a protocol takes the nearest model that conforms to it.
    public func with<Model: Sendable>(model: Model) -> ModifiedService<Self> {
        with(ModelSource(model))
    }

    /// As ``with(model:)``; of a model that is a value, `onChange` is told each one that a store makes of it, the first
    /// one included.
    package func with<Model: Sendable>(
        model: Model,
        onChange: @escaping @Sendable (Model) -> Void
    ) -> ModifiedService<Self> {
        with(ModelSource(model, listener: onChange))
    }

    private func with(_ source: @escaping @autoclosure @MainActor () -> ModelSource) -> ModifiedService<Self> {
        ModifiedService(self) { context in
            let source = source()
            context.models.append(source)
            let (collector, path) = (context.collector, context.path)
            return { base in
                if !source.isUsed { collector.note(.unusedModel(type(of: source.model), at: path)) }
                return base
            }
        }
    }
}
