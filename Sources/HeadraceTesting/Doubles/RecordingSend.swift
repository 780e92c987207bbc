// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
public import HeadraceServices

/// Replaces `\.send` in the environment of services, and records the actions instead of sending them.
///
/// ```swift
/// let recordingSend = RecordingSend()
/// let cluster = try await Bootstrap {
///     IdentityService()
///         .with(model: mockedIdentityModel)
///         .environment(\.send, recordingSend)
/// }
/// try await cluster.send(action: StartUpAction.appDidCompleteLaunching)
/// #expect(recordingSend.actions(of: ArticlesAction.self) == [.reload])
/// ```
public final class RecordingSend: Sendable {
    private let recorded = ConditionVariable<[any Action]>([])
    private let answer: @Sendable (any Action) throws -> Void

    /// Creates a recorder.
    ///
    /// - Parameter answer: Throws an error for actions that must fail. It runs after the action was recorded. By default,
    ///   all actions succeed.
    public init(answering answer: @escaping @Sendable (any Action) throws -> Void = { _ in }) {
        self.answer = answer
    }

    /// The sent actions in order.
    public var actions: [any Action] { recorded.value }

    /// Returns the sent actions of type `A` in order.
    public func actions<A: Action>(of type: A.Type) -> [A] { actions.compactMap { $0 as? A } }

    /// Returns when at least `count` actions have been sent, or when the waiting task is cancelled.
    public func waitForActions(_ count: Int) async {
        await recorded.wait { $0.count >= count }
    }

    /// The function that services use for sending.
    public var send: Send {
        Send { action in
            self.recorded.change { $0.append(action) }
            try self.answer(action)
        }
    }
}

extension HeadraceServices.Service {
    /// Makes this service and its children send actions to `recorder` instead of the cluster.
    public func environment(
        _ key: any WritableKeyPath<ServiceEnvironmentValues, Send> & Sendable,
        _ recorder: RecordingSend
    ) -> ModifiedService<Self> {
        environment(key, recorder.send)
    }
}

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
