//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceServices
import Synchronization

/// Sees the values that a store makes of its model, which nobody else can see.
///
/// ```swift
/// let probe = ModelProbe<CounterModel>()
/// let cluster = try await Bootstrap {
///     CounterService()
///         .with(model: CounterModel(), probe: probe)
/// }
/// try await cluster.send(action: Increment())
/// #expect(probe.current?.count == 1)
/// ```
///
/// It is for models that are values; an object is at hand anyway.
public final class ModelProbe<Model: Sendable>: Sendable {
    private struct State {
        var values: [Model] = []
        var watchers: [(isMet: @Sendable (Model) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// Creates a probe that has seen nothing.
    public init() {}

    /// The model as it was given, then as each mutation has left it.
    ///
    /// Where several stores have a model from one `with(model:probe:)`, those of all of them are here.
    public var values: [Model] { state.withLock { $0.values } }

    /// The latest of ``values``, or `nil` where no store has taken the model.
    public var current: Model? { state.withLock { $0.values.last } }

    /// Returns when a mutation has left a value for which `condition` holds, or the latest one is so already.
    public func reaches(_ condition: @escaping @Sendable (Model) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if let latest = state.values.last, condition(latest) { return true }
                state.watchers.append((condition, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func note(_ model: Model) {
        let reached = state.withLock { state in
            state.values.append(model)
            let reached = state.watchers.filter { $0.isMet(model) }
            state.watchers.removeAll { $0.isMet(model) }
            return reached
        }
        for watcher in reached { watcher.continuation.resume() }
    }
}

extension HeadraceServices.Service {
    /// Gives this model to the stores under it, and lets `probe` see what they make of it.
    public func with<Model: Sendable>(model: Model, probe: ModelProbe<Model>) -> ModifiedService<Self> {
        with(model: model) { probe.note($0) }
    }
}
