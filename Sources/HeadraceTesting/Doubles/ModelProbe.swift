// SPDX-License-Identifier: Apache-2.0

public import HeadraceServices

/// Records the values of a model that is otherwise private to its store.
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
/// Use a probe for models of value types. For a model object, keep a reference to the object instead.
public final class ModelProbe<Model: Sendable>: Sendable {
    private let recorded = ConditionVariable<[Model]>([])

    /// Creates a probe without values.
    public init() {}

    /// The initial model, followed by the model after each mutation.
    ///
    /// If several stores use the model of one `with(model:probe:)`, the values of all these stores are in this array.
    public var values: [Model] { recorded.value }

    /// The last of ``values``, or `nil` if no store uses the model.
    public var current: Model? { values.last }

    /// Returns when `condition` holds for the current model, or when the waiting task is cancelled.
    ///
    /// The condition is checked at once and after each mutation.
    public func waitForModel(where condition: @escaping @Sendable (Model) -> Bool) async {
        await recorded.wait { $0.last.map(condition) ?? false }
    }

    func record(_ model: Model) {
        recorded.change { $0.append(model) }
    }
}

extension HeadraceServices.Service {
    /// Provides `model` to the stores of this service and its children, and records its values in `probe`.
    public func with<Model: Sendable>(model: Model, probe: ModelProbe<Model>) -> ModifiedService<Self> {
        with(model: model) { probe.record($0) }
    }
}
