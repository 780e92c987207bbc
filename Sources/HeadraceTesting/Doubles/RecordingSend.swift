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
