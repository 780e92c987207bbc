//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// Sends actions from within a handler, as part of what it does.
///
/// ```swift
/// .mutate(on: LogIn.self) { model, action, send in
///     try await model.logIn(action.name)
///     try await send(action: ArticlesAction.reload)
/// }
/// ```
///
/// It returns when the action has been handled, and throws what kept it from being so. Actions that send actions that send
/// actions end after a number of steps: ``ServiceError`` with the code ``ServiceError/Code-swift.struct/tooDeep``.
public struct Send: Sendable {
    @usableFromInline let target: SendTarget

    /// What the sender is part of.
    @usableFromInline let frame: SendFrame

    @inlinable
    init(to target: SendTarget, from frame: SendFrame) {
        self.target = target
        self.frame = frame
    }

    /// Creates what does `operation` with each action instead of sending it to a cluster.
    public init(_ operation: nonisolated(nonsending) @escaping @Sendable (any Action) async throws -> Void) {
        self.init(to: SendTarget(.custom(operation)), from: SendFrame())
    }

    /// Sends `action`, and returns when it has been handled.
    ///
    /// - Throws: What ``Bootstrap/send(action:)`` throws; ``ServiceError`` with the code
    ///   ``ServiceError/Code-swift.struct/released`` where there is no cluster any more.
    public nonisolated(nonsending) func callAsFunction<A: Action>(action: A) async throws {
        switch target.kind {
        case .cluster(let cluster):
            guard let core = cluster.core else { throw ServiceError.released(A.self) }
            try await core.send(action, from: try frame.inner(sending: A.self, limit: core.depthLimit))
        case .custom(let operation):
            try await operation(action)
        case .nowhere:
            throw ServiceError.released(A.self)
        }
    }

    /// As ``callAsFunction(action:)``.
    public nonisolated(nonsending) func callAsFunction(_ action: some Action) async throws {
        try await callAsFunction(action: action)
    }

    /// The same for a handler that runs in `frame`.
    func within(_ frame: SendFrame) -> Send {
        Send(to: target, from: frame)
    }
}
