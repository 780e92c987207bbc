// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// A store's reaction to actions of one type.
protocol ActionHandler: Sendable {
    var actionType: any Action.Type { get }

    /// Makes the route of this action type through the tree under `root`.
    func makeRoute(of root: TreeNode) -> ActionRoute
}

/// A store's reaction to actions of the type `A`.
///
/// It is a struct, because a bare function would be converted at each call.
@usableFromInline
struct TypedHandler<A: Action>: ActionHandler {
    @usableFromInline typealias Run = nonisolated(nonsending) @Sendable (A, SendFrame) async throws -> Void

    @usableFromInline let run: Run

    @inlinable
    init(_ run: @escaping Run) {
        self.run = run
    }

    /// Returns the same handler, running in the environment of `site`.
    func reading(at site: ServiceSite) -> TypedHandler {
        guard let bindings = site.bindings else { return self }
        let run = run
        return TypedHandler { action, frame in
            let environment = CurrentEnvironment(bindings: bindings, frame: frame)
            try await CurrentEnvironment.$current.binding(environment) { try await run(action, frame) }
        }
    }

    var actionType: any Action.Type { A.self }

    func makeRoute(of root: TreeNode) -> ActionRoute { ActionRoute(RouteStep<A>.make(of: root)) }
}
