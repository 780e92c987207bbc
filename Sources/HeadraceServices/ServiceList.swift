//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Services that belong together: what the block of a body, a group or a cluster makes.
///
/// One that has a single service is no different from that service.
public struct ServiceList: Service {
    let services: [any Service]

    /// Creates a list of these, in that order.
    public init(_ services: [any Service]) {
        self.services = services
    }
}

extension ServiceList: BuiltInService {
    func makeNode(in context: PlanContext) -> Node {
        if services.count == 1 { return Planner.node(of: services[0], in: context) }
        var context = context
        context.pending = []
        let nodes = services.enumerated().map { index, service in
            Planner.node(of: service, in: context.entering("\(index + 1)"))
        }
        return Node(.list(nodes, context.strategy))
    }
}
