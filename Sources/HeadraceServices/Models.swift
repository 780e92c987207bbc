// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

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

/// The model of a store.
///
/// If the model is a value, its mutations run one at a time, in the order in which they arrived.
final class ExclusiveModel<Model: Sendable>: Sendable {
    private struct State {
        /// `nil` during a mutation, so that the model's buffers have one owner and aren't copied.
        var model: Model?

        /// The result of the last finished mutation; only stored if the store has observers.
        var last: Model?
    }

    /// The model as it was provided.
    ///
    /// An object never changes its identity, so this is all a store of objects needs.
    let initial: Model

    private let state: Mutex<State>

    /// One permit: the exclusive access of a mutation.
    private let access = Permits(1)
    private let isObserved: Bool
    private let listener: (@Sendable (any Sendable) -> Void)?

    init(_ model: Model, isObserved: Bool, listener: (@Sendable (any Sendable) -> Void)?) {
        initial = model
        self.isObserved = isObserved
        self.listener = listener
        state = Mutex(State(model: model, last: isObserved ? model : nil))
        listener?(model)
    }

    /// The result of the last finished mutation.
    var current: Model { state.withLock { $0.last ?? $0.model } ?? initial }

    /// Runs `body` with the model after the mutations that arrived earlier.
    ///
    /// Changes are kept even if `body` throws.
    ///
    /// - Throws: ``ServiceError`` if a mutation of the same model calls it; `CancellationError`; the errors of `body`.
    nonisolated(nonsending) func mutate(
        _ body: nonisolated(nonsending) (inout Model) async throws -> Void
    ) async throws {
        if ModelHolder.isHeld(self) { throw ServiceError.modelInUse(Model.self) }
        try await access.withPermit {
            var model = state.withLock { $0.model.take() } ?? initial
            let holder = ModelHolder(self)
            defer {
                holder.release()
                finish(with: model)
            }
            try await ModelHolder.$current.binding(holder) { try await body(&model) }
        }
    }

    private func finish(with model: Model) {
        listener?(model)
        state.withLock { state in
            if isObserved { state.last = model }
            state.model = model
        }
    }
}

/// The holder of a model: the mutation that is changing it.
///
/// `current` is the innermost mutation of the task. A send finds the outer ones through it, so that a mutation that leads
/// back to its own model fails instead of waiting for itself.
final class ModelHolder: Sendable {
    @TaskLocal static var current: ModelHolder?

    private let model: ObjectIdentifier
    private let outer = ModelHolder.current
    private let isReleased = Mutex(false)

    init(_ model: AnyObject) {
        self.model = ObjectIdentifier(model)
    }

    /// Marks the mutation as ended.
    ///
    /// A task that the handler started and that still runs may then change the model.
    func release() {
        isReleased.withLock { $0 = true }
    }

    /// Whether the current task is part of a mutation of `model`.
    static func isHeld(_ model: AnyObject) -> Bool {
        var next = current
        while let holder = next {
            if holder.model == ObjectIdentifier(model), !holder.isReleased.withLock({ $0 }) { return true }
            next = holder.outer
        }
        return false
    }
}
