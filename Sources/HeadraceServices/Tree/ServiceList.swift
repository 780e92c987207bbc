// SPDX-License-Identifier: Apache-2.0

/// The services of a block: the content of a body, a group, or a cluster.
///
/// A list with a single service is equivalent to that service.
public struct ServiceList: Service {
    let services: [any Service]

    /// Creates a list of services in this order.
    public init(_ services: [any Service]) {
        self.services = services
    }
}

extension ServiceList: BuiltInService {
    func beginReading(in context: ReadingContext) -> ServiceReading {
        var inner = context
        inner.pending = []
        return ServiceReading(
            of: services.enumerated().map { index, service in (service, inner.entering(.position(index + 1))) },
            makeNode: { TreeNode(.list($0, context.strategy)) }
        )
    }
}
