// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Testing

@testable import HeadraceServices

@Suite struct ServiceNodeTests {
    private static let site = ServiceSite(send: Send(to: SendTarget(), from: SendFrame()), bindings: [:])

    private static func store<A: Action>(_ type: A.Type) -> ServiceNode {
        ServiceNode(.handler(ActionHandler(at: site) { (_: A, _) in }))
    }

    private static func list(_ nodes: [ServiceNode]) -> ServiceNode { ServiceNode(.list(nodes, .concurrent)) }

    /// A node that handles all action types.
    private static func wildcard() -> ServiceNode {
        let interceptor = Interceptor(.pre, ofType: nil, at: site) { _, _ in }
        return ServiceNode(.modified(store(Pong.self), .interceptor(interceptor)))
    }

    @Test func aSendVisitsOnlyTheChildrenThatHandleItsType() {
        let nodes = (0..<100).map { $0 == 40 ? Self.list([Self.store(Ping.self)]) : Self.store(Pong.self) }
        let root = Self.list(nodes)

        #expect(root.positions(wanting: Ping.self) == [40])
        #expect(root.positions(wanting: Pong.self).count == 99)
        #expect(root.positions(wanting: Unheard.self).isEmpty)
        #expect(root.wants(Ping.self) && !root.wants(Unheard.self))
    }

    @Test func childrenThatHandleAllTypesKeepTheirPositions() {
        let root = Self.list([
            Self.wildcard(), Self.store(Ping.self), Self.wildcard(), Self.store(Pong.self), Self.store(Ping.self),
        ])

        #expect(root.positions(wanting: Ping.self) == [0, 1, 2, 4])
        #expect(root.wants(Unheard.self))
        #expect(root.positions(wanting: Unheard.self).count == 2)
    }
}
