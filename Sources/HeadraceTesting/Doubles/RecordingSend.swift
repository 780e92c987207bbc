//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore
public import HeadraceServices
import Synchronization

/// Takes the place of what services send actions with, and remembers the actions instead.
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
    private struct State {
        var actions: [any Action] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())
    private let answer: @Sendable (any Action) throws -> Void

    /// Creates one that has seen nothing.
    ///
    /// - Parameter answer: Throws for an action whose sending is to fail; for none unless given. It runs after the action was
    ///   recorded.
    public init(answering answer: @escaping @Sendable (any Action) throws -> Void = { _ in }) {
        self.answer = answer
    }

    /// The actions that were sent, in that order.
    public var actions: [any Action] { state.withLock { $0.actions } }

    /// The actions of this type that were sent, in that order.
    public func actions<A: Action>(of type: A.Type) -> [A] { actions.compactMap { $0 as? A } }

    /// Returns when this many actions have been sent.
    public func reaches(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.actions.count < count { state.watchers.append((count, continuation)) }
                return state.actions.count >= count
            }
            if isThere { continuation.resume() }
        }
    }

    /// What services are to send with.
    public var send: Send {
        Send { action in try self.record(action) }
    }

    private func record(_ action: any Action) throws {
        let reached = state.withLock { state in
            state.actions.append(action)
            let reached = state.watchers.filter { $0.count <= state.actions.count }
            state.watchers.removeAll { $0.count <= state.actions.count }
            return reached
        }
        for watcher in reached { watcher.continuation.resume() }
        try answer(action)
    }
}

extension HeadraceServices.Service {
    /// Has the services under it send to `recorder` instead of the cluster.
    public func environment(
        _ key: any WritableKeyPath<ServiceEnvironmentValues, Send> & Sendable,
        _ recorder: RecordingSend
    ) -> ModifiedService<Self> {
        environment(key, recorder.send)
    }
}
