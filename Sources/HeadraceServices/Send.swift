// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
import Synchronization

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
    let target: SendTarget

    /// The frame of the handler that sends.
    let frame: SendFrame

    init(to target: SendTarget, from frame: SendFrame) {
        self.target = target
        self.frame = frame
    }

    /// Creates a send that passes each action to `operation` instead of a cluster.
    public init(_ operation: nonisolated(nonsending) @escaping @Sendable (any Action) async throws -> Void) {
        self.init(to: SendTarget(operation), from: SendFrame())
    }

    /// Sends `action`, and returns when it has been handled.
    ///
    /// - Throws: The errors of ``Bootstrap/send(action:)``; ``ServiceError`` with the code
    ///   `ServiceError.Code.released` if the cluster no longer exists, or
    ///   `ServiceError.Code.tooDeep` if sends are nested too deeply.
    public nonisolated(nonsending) func callAsFunction<A: Action>(action: A) async throws {
        if let operation = target.operation { return try await operation(action) }
        guard let cluster = target.cluster else { throw ServiceError.released(A.self) }
        try await cluster.send(action, from: try frame.inner(sending: A.self, limit: cluster.depthLimit))
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

/// The send that a handler belongs to, with its nesting.
struct SendFrame: Sendable {
    /// Number of sends that contain this send.
    var depth = 0

    /// Whether the send handles an action that `transformError` made; errors below it aren't transformed again.
    var isTransformed = false

    /// Returns the frame of a send within this send.
    ///
    /// - Throws: ``ServiceError`` with the code `ServiceError.Code.tooDeep` if `limit` is reached.
    func inner(sending action: Any.Type, limit: Int) throws -> SendFrame {
        guard depth < limit else { throw ServiceError.tooDeep(action, limit: limit) }
        return SendFrame(depth: depth + 1, isTransformed: isTransformed)
    }

    /// The same frame for an action that `transformError` made.
    var transformed: SendFrame { SendFrame(depth: depth, isTransformed: true) }
}

/// The destination of a `Send`: a cluster, or an operation.
///
/// It doesn't keep the cluster alive, so a model may store a `Send` without a retain cycle.
final class SendTarget: Sendable {
    typealias Operation = nonisolated(nonsending) @Sendable (any Action) async throws -> Void

    /// The operation that replaces a cluster, or `nil`.
    let operation: Operation?

    private let state = Mutex<Cluster?>(nil)

    init(_ operation: Operation? = nil) {
        self.operation = operation
    }

    /// The cluster, or `nil` before `connect(_:)` and after `disconnect()`.
    var cluster: Cluster? { state.withLock { $0 } }

    func connect(_ cluster: Cluster) {
        state.withLock { $0 = cluster }
    }

    func disconnect() {
        // Releases the cluster after the lock is free: a deinitializer may call this target again.
        _ = state.withLock { $0.take() }
    }
}
