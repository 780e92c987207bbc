// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

extension Service {
    /// Runs `handler` before the services under the modifier handle an action, for every action type.
    ///
    /// If `handler` throws, the services don't receive the action, and the error counts as theirs.
    public func pre(
        _ handler: nonisolated(nonsending) @escaping @Sendable (any Action) async throws -> Void
    ) -> ModifiedService<Self> {
        intercepting(.pre) { WildcardInterceptor(at: $0) { action, _ in try await handler(action) } }
    }

    /// Runs `handler` before the services handle an action of exactly this type; see ``pre(_:)``.
    public func pre<A: Action>(
        on type: A.Type,
        _ handler: nonisolated(nonsending) @escaping @Sendable (A) async throws -> Void
    ) -> ModifiedService<Self> {
        intercepting(.pre) { TypedInterceptor(at: $0) { (action: A, _) in try await handler(action) } }
    }

    /// Runs `handler` after the services under the modifier have handled an action, for every action type.
    ///
    /// It also runs if the services failed or the sender was cancelled. An error of `handler` is reported in addition to theirs.
    public func post(
        _ handler: nonisolated(nonsending) @escaping @Sendable (any Action) async throws -> Void
    ) -> ModifiedService<Self> {
        intercepting(.post) { WildcardInterceptor(at: $0) { action, _ in try await handler(action) } }
    }

    /// Runs `handler` with the outcome after the services have handled an action; see `post(_:)`.
    public func post(
        _ handler: nonisolated(nonsending) @escaping @Sendable (any Action, MessageOutcome) async throws -> Void
    ) -> ModifiedService<Self> {
        intercepting(.post) { WildcardInterceptor(at: $0) { action, outcome in try await handler(action, outcome) } }
    }

    /// Runs `handler` after the services have handled an action of exactly this type; see `post(_:)`.
    public func post<A: Action>(
        on type: A.Type,
        _ handler: nonisolated(nonsending) @escaping @Sendable (A) async throws -> Void
    ) -> ModifiedService<Self> {
        intercepting(.post) { TypedInterceptor(at: $0) { (action: A, _) in try await handler(action) } }
    }

    /// Runs `handler` with the outcome after the services have handled an action of exactly this type; see `post(_:)`.
    public func post<A: Action>(
        on type: A.Type,
        _ handler: nonisolated(nonsending) @escaping @Sendable (A, MessageOutcome) async throws -> Void
    ) -> ModifiedService<Self> {
        intercepting(.post) { TypedInterceptor(at: $0) { (action: A, outcome) in try await handler(action, outcome) } }
    }
}
