// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Testing

@testable import HeadraceServices

@Suite struct TreeNodeTests {
    private static func store<A: Action>(_ type: A.Type) -> TreeNode {
        TreeNode(.store([TypedHandler<A> { _, _ in }]))
    }

    private static func list(_ nodes: [TreeNode]) -> TreeNode { TreeNode(.list(nodes, .concurrent)) }

    /// A node that handles all action types.
    private static func wildcard() -> TreeNode {
        let site = ServiceSite(send: Send(to: SendTarget(.nowhere), from: SendFrame()), bindings: nil)
        return TreeNode(.modified(store(Pong.self), .interceptor(.pre, WildcardInterceptor(at: site) { _, _ in })))
    }

    @Test func aRouteVisitsOnlyTheChildrenThatHandleItsType() {
        let nodes = (0..<100).map { $0 == 40 ? Self.list([Self.store(Ping.self)]) : Self.store(Pong.self) }
        let root = Self.list(nodes)

        #expect(root.children(wanting: Ping.self).map(ObjectIdentifier.init) == [ObjectIdentifier(nodes[40])])
        #expect(root.children(wanting: Pong.self).count == 99)
        #expect(root.children(wanting: Unheard.self).isEmpty)
    }

    @Test func childrenThatHandleAllTypesKeepTheirPositions() {
        let nodes = [
            Self.wildcard(), Self.store(Ping.self), Self.wildcard(), Self.store(Pong.self), Self.store(Ping.self),
        ]
        let root = Self.list(nodes)

        #expect(
            root.children(wanting: Ping.self).map(ObjectIdentifier.init)
                == [0, 1, 2, 4].map { ObjectIdentifier(nodes[$0]) }
        )
        #expect(root.wantsAll)
        #expect(root.children(wanting: Unheard.self).count == 2)
    }
}
