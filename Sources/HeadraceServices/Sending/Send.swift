// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// Sends actions from a handler.
///
/// ```swift
/// .mutate(on: LogIn.self) { model, action, send in
///     try await model.logIn(action.name)
///     try await send(action: ArticlesAction.reload)
/// }
/// ```
///
/// A call returns when the action has been handled, and throws the error if handling failed. The nesting of such sends is
/// limited by ``Bootstrap/Configuration/depthLimit``.
public struct Send: Sendable {
    @usableFromInline let target: SendTarget

    /// The frame of the handler that sends.
    @usableFromInline let frame: SendFrame

    @inlinable
    init(to target: SendTarget, from frame: SendFrame) {
        self.target = target
        self.frame = frame
    }

    /// Creates a send that passes each action to `operation` instead of a cluster.
    public init(_ operation: nonisolated(nonsending) @escaping @Sendable (any Action) async throws -> Void) {
        self.init(to: SendTarget(.custom(operation)), from: SendFrame())
    }

    /// Sends `action`, and returns when it has been handled.
    ///
    /// - Throws: The errors of ``Bootstrap/send(action:)``; ``ServiceError`` with the code
    ///   `ServiceError.Code.released` if the cluster no longer exists, or
    ///   `ServiceError.Code.tooDeep` if sends are nested too deeply.
    public nonisolated(nonsending) func callAsFunction<A: Action>(action: A) async throws {
        switch target.kind {
        case .cluster(let cluster):
            guard let receiver = cluster.receiver else { throw ServiceError.released(A.self) }
            try await receiver.send(action, from: try frame.inner(sending: A.self, limit: receiver.depthLimit))
        case .custom(let operation):
            try await operation(action)
        case .nowhere:
            throw ServiceError.released(A.self)
        }
    }

    /// Sends `action` as ``callAsFunction(action:)`` does.
    public nonisolated(nonsending) func callAsFunction(_ action: some Action) async throws {
        try await callAsFunction(action: action)
    }

    /// Returns the same send for a handler that runs in `frame`.
    func within(_ frame: SendFrame) -> Send {
        Send(to: target, from: frame)
    }
}
