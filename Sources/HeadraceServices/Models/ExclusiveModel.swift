// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

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
