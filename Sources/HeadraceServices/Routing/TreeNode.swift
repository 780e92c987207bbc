// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// A part of the tree after reading: the action types that it handles, and how.
final class TreeNode: Sendable {
    /// How siblings handle an action.
    enum Strategy: Sendable { case serial, concurrent }

    /// A modifier that takes part in handling actions.
    enum Modifier: Sendable {
        case interceptor(InterceptionPhase, any Interceptor)
        case transform(ErrorTransform)
    }

    enum Content: Sendable {
        case store([any ActionHandler])
        case list([TreeNode], Strategy)
        case modified(TreeNode, Modifier)
        case inner(TreeNode)
    }

    /// The text of a node in a drawing.
    enum Label: Sendable {
        case service(Any.Type)
        case group
        case store(Any.Type)
        case remark(String)
    }

    let content: Content
    let label: Label?

    /// The action types that the node handles by name.
    private let wanted: Set<ObjectIdentifier>

    /// Whether something in the node handles all action types.
    let wantsAll: Bool

    /// The positions of the children of a list, by action type, so that a route visits no other child.
    ///
    /// Without this index, making the routes of *n* services with *n* action types would take *n*² steps. Children that handle
    /// all action types are in ``wildcards`` instead.
    private let positions: [ObjectIdentifier: [Int]]

    /// The positions of the children of a list that handle all action types.
    private let wildcards: [Int]

    init(_ content: Content, label: Label? = nil) {
        self.content = content
        self.label = label
        var wanted: Set<ObjectIdentifier> = []
        var wantsAll = false
        var positions: [ObjectIdentifier: [Int]] = [:]
        var wildcards: [Int] = []
        switch content {
        case .store(let handlers):
            wanted = Set(handlers.map { ObjectIdentifier($0.actionType) })
        case .list(let nodes, _):
            for (position, child) in nodes.enumerated() {
                if child.wantsAll {
                    wildcards.append(position)
                } else {
                    for type in child.wanted { positions[type, default: []].append(position) }
                }
                if wanted.isEmpty { wanted = child.wanted } else { wanted.formUnion(child.wanted) }
            }
            wantsAll = !wildcards.isEmpty
        case .modified(let child, let modifier):
            (wanted, wantsAll) = (child.wanted, child.wantsAll)
            if case .interceptor(_, let interceptor) = modifier {
                if let type = interceptor.actionType {
                    wanted.insert(ObjectIdentifier(type))
                } else {
                    wantsAll = true
                }
            }
        case .inner(let child):
            (wanted, wantsAll) = (child.wanted, child.wantsAll)
        }
        self.wanted = wanted
        self.wantsAll = wantsAll
        self.positions = positions
        self.wildcards = wildcards
    }

    var children: [TreeNode] { Self.children(of: content) }

    private static func children(of content: Content) -> [TreeNode] {
        switch content {
        case .store: []
        case .list(let nodes, _): nodes
        case .modified(let node, _), .inner(let node): [node]
        }
    }

    /// Whether something in the node handles actions of this type.
    func wants(_ action: any Action.Type) -> Bool {
        wantsAll || wanted.contains(ObjectIdentifier(action))
    }

    /// Returns the children that handle actions of this type, in their order.
    ///
    /// - Complexity: O(*k* log *k*) for *k* such children of a list, regardless of the number of other children.
    func children(wanting action: any Action.Type) -> [TreeNode] {
        guard case .list(let nodes, _) = content else { return children.filter { $0.wants(action) } }
        let named = positions[ObjectIdentifier(action)] ?? []
        let all = wildcards.isEmpty ? named : (named + wildcards).sorted()
        return all.map { nodes[$0] }
    }

    /// Makes a route for each action type that something in the node handles by name.
    func makeRoutes() -> [(ObjectIdentifier, ActionRoute)] {
        var routes: [ObjectIdentifier: ActionRoute] = [:]
        // A list instead of recursion: a tree may be deeper than a thread's stack allows.
        var stack = [self]
        while let node = stack.popLast() {
            switch node.content {
            case .store(let handlers):
                for handler in handlers where routes[ObjectIdentifier(handler.actionType)] == nil {
                    routes[ObjectIdentifier(handler.actionType)] = handler.makeRoute(of: self)
                }
            case .modified(_, .interceptor(_, let interceptor)):
                if let type = interceptor.actionType, routes[ObjectIdentifier(type)] == nil {
                    routes[ObjectIdentifier(type)] = interceptor.makeRoute(of: self)
                }
            case .list, .modified, .inner: break
            }
            stack += node.children
        }
        return routes.map { ($0.key, $0.value) }
    }
}
