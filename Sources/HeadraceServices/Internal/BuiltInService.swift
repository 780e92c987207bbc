//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A service without a body: the reader asks it for the services under it.
protocol BuiltInService: Service {
    /// Begins to read the service at the place that `context` describes.
    @MainActor func beginReading(in context: PlanContext) -> ServiceReading
}

/// A service that was begun: the services under it, and the node that is made of their nodes.
@MainActor
struct ServiceReading {
    typealias Child = (service: any Service, context: PlanContext)

    let children: [Child]

    /// Makes the node, given one node for each child, in that order.
    let makeNode: @MainActor ([Node]) -> Node

    init(of children: [Child], makeNode: @escaping @MainActor ([Node]) -> Node) {
        self.children = children
        self.makeNode = makeNode
    }

    /// Reads one service under this one.
    init(
        of child: any Service,
        in context: PlanContext,
        makeNode: @escaping @MainActor (Node) -> Node
    ) {
        self.init(of: [(child, context)]) { makeNode($0[0]) }
    }

    /// Has nothing under it.
    init(_ node: Node) {
        self.init(of: []) { _ in node }
    }
}

extension BuiltInService {
    /// Is never read: the service has none.
    public var body: Never {
        let message = "'\(Self.self)' has no body. To fix, do not read it: a cluster is made of the service itself."
        return preconditionFailure(message)
    }
}
