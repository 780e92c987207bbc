//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// A part of the tree, as it was read: what wants which actions, and how.
final class Node: Sendable {
    enum Content: Sendable {
        case store([any Handler])
        case list([Node], Strategy)
        case hook(HookMoment, any Hook, Node)
        case transform(ErrorTransform, Node)
        case inner(Node)
    }

    /// What a drawing shows of it.
    enum Label: Sendable {
        case service(Any.Type)
        case group
        case store(Any.Type)
        case remark(String)
    }

    let content: Content
    let label: Label?

    /// The types of the actions that something in it wants.
    private let wanted: Set<ObjectIdentifier>

    /// Whether something in it wants all actions.
    let wantsAll: Bool

    init(_ content: Content, label: Label? = nil) {
        self.content = content
        self.label = label
        var wanted: Set<ObjectIdentifier> = []
        var wantsAll = false
        if case .store(let handlers) = content {
            wanted = Set(handlers.map { ObjectIdentifier($0.actionType) })
        }
        if case .hook(_, let hook, _) = content {
            if let type = hook.actionType { wanted = [ObjectIdentifier(type)] } else { wantsAll = true }
        }
        for child in Self.children(of: content) {
            if wanted.isEmpty { wanted = child.wanted } else { wanted.formUnion(child.wanted) }
            wantsAll = wantsAll || child.wantsAll
        }
        self.wanted = wanted
        self.wantsAll = wantsAll
    }

    var children: [Node] { Self.children(of: content) }

    private static func children(of content: Content) -> [Node] {
        switch content {
        case .store: []
        case .list(let nodes, _): nodes
        case .hook(_, _, let node), .transform(_, let node), .inner(let node): [node]
        }
    }

    /// Whether something in it wants actions of this type.
    func wants(_ action: any Action.Type) -> Bool {
        wantsAll || wanted.contains(ObjectIdentifier(action))
    }

    /// A plan for each type of action that something in it asks for by name.
    func makePlans() -> [(ObjectIdentifier, Plan)] {
        var plans: [ObjectIdentifier: Plan] = [:]
        // A stack of one's own: a tree may be deeper than that of a thread.
        var stack = [self]
        while let node = stack.popLast() {
            switch node.content {
            case .store(let handlers):
                for handler in handlers where plans[ObjectIdentifier(handler.actionType)] == nil {
                    plans[ObjectIdentifier(handler.actionType)] = handler.makePlan(of: self)
                }
            case .hook(_, let hook, _):
                if let type = hook.actionType, plans[ObjectIdentifier(type)] == nil {
                    plans[ObjectIdentifier(type)] = hook.makePlan(of: self)
                }
            case .list, .transform, .inner: break
            }
            stack += node.children
        }
        return plans.map { ($0.key, $0.value) }
    }
}
