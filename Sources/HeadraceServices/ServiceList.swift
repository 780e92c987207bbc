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
    func beginReading(in context: PlanContext) -> ServiceReading {
        var inner = context
        inner.pending = []
        return ServiceReading(
            of: services.enumerated().map { index, service in (service, inner.entering(.place(index + 1))) },
            makeNode: { Node(.list($0, context.strategy)) }
        )
    }
}
