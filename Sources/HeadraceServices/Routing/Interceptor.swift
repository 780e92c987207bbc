// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// When an interceptor runs: before the services under it, or after them.
///
/// An observer can't affect the result.
@usableFromInline
enum InterceptionPhase: Sendable { case pre, observe, post }

/// A `pre`, `post`, or `observe` modifier.
protocol Interceptor: Sendable {
    /// The action type that the interceptor handles, or `nil` for all.
    var actionType: (any Action.Type)? { get }

    /// Returns the operation for actions of this type, or `nil` if the interceptor ignores them.
    func interception<A: Action>(for type: A.Type) -> Interception<A>?

    /// Makes the route of the interceptor's action type through the tree under `root`, or returns `nil` if it has no type.
    func makeRoute(of root: TreeNode) -> ActionRoute?
}

/// An interceptor's operation for actions of one type.
///
/// It is a struct, because a bare function would be converted at each call.
@usableFromInline
struct Interception<A: Action>: Sendable {
    let run: nonisolated(nonsending) @Sendable (A, SendFrame, MessageOutcome) async throws -> Void
}

/// An interceptor of actions of one type.
struct TypedInterceptor<Wanted: Action>: Interceptor {
    private let wanted: Interception<Wanted>

    init(
        at site: ServiceSite,
        _ operation: nonisolated(nonsending) @escaping @Sendable (Wanted, MessageOutcome) async throws -> Void
    ) {
        wanted = Interception { action, frame, outcome in
            try await site.scoped(frame) { try await operation(action, outcome) }
        }
    }

    var actionType: (any Action.Type)? { Wanted.self }

    func interception<A: Action>(for type: A.Type) -> Interception<A>? { wanted as? Interception<A> }

    func makeRoute(of root: TreeNode) -> ActionRoute? { ActionRoute(RouteStep<Wanted>.make(of: root)) }
}

/// An interceptor of all actions.
struct WildcardInterceptor: Interceptor {
    private let operation: nonisolated(nonsending) @Sendable (any Action, MessageOutcome) async throws -> Void
    private let site: ServiceSite

    init(
        at site: ServiceSite,
        _ operation: nonisolated(nonsending) @escaping @Sendable (any Action, MessageOutcome) async throws -> Void
    ) {
        self.site = site
        self.operation = operation
    }

    var actionType: (any Action.Type)? { nil }

    func interception<A: Action>(for type: A.Type) -> Interception<A>? {
        // No capture list: with one, the compiler (6.3) lets a closure leave the caller's actor.
        let (site, operation) = (site, operation)
        return Interception { action, frame, outcome in
            try await site.scoped(frame) { try await operation(action, outcome) }
        }
    }

    func makeRoute(of root: TreeNode) -> ActionRoute? { nil }
}
