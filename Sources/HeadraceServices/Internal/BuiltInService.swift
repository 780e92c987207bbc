//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A service that no other makes up.
protocol BuiltInService: Service {
    /// Makes its part of the plan.
    @MainActor func makeNode(in context: PlanContext) -> Node
}

extension BuiltInService {
    /// Is never read: the service has none.
    public var body: Never {
        let message = "'\(Self.self)' has no body. To fix, do not read it: a cluster is made of the service itself."
        return preconditionFailure(message)
    }
}
