// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
import Synchronization

/// The route of one action type through a tree, without that type.
final class ActionRoute: Sendable {
    /// A `RouteStep` for the action type, or `nil` if nothing handles it.
    let step: (any AnyObject & Sendable)?

    init<A: Action>(_ step: RouteStep<A>?) {
        self.step = step
    }
}

/// The routes through a tree by action type: a send visits only the services that handle its type.
@usableFromInline
final class RoutingTable: Sendable {
    private let root: TreeNode

    /// The routes for the action types that something in the tree names.
    let routes: TypeTable<ActionRoute>

    /// The routes for other action types, if something handles all of them; each is made at the first send.
    private let others = Mutex<[ObjectIdentifier: ActionRoute]>([:])

    init(_ root: TreeNode) {
        self.root = root
        routes = TypeTable(root.makeRoutes())
    }

    /// A `RouteStep<A>` for a type that nothing in the tree names, or `nil` if nothing handles all types.
    @usableFromInline
    func otherStep<A: Action>(for type: A.Type) -> (any AnyObject & Sendable)? {
        guard root.wantsAll else { return nil }
        return others.withLock { others in
            if let route = others[ObjectIdentifier(type)] { return route }
            let route = ActionRoute(RouteStep<A>.make(of: root))
            others[ObjectIdentifier(type)] = route
            return route
        }
        .step
    }
}
