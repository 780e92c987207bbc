//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A service with a modifier.
public struct ModifiedService<Base: Service>: Service {
    let base: Base

    /// Makes the node, given how the base makes its own.
    let makeNode: @MainActor (PlanContext, (PlanContext) -> Node) -> Node

    init(_ base: Base, makeNode: @escaping @MainActor (PlanContext, (PlanContext) -> Node) -> Node) {
        self.base = base
        self.makeNode = makeNode
    }
}

extension ModifiedService: BuiltInService {
    func makeNode(in context: PlanContext) -> Node {
        makeNode(context) { Planner.node(of: base, in: $0) }
    }
}

extension ModifiedService: StoreService where Base: StoreService {
    /// What the store keeps.
    public typealias Model = Base.Model
}

extension Service {
    /// Changes what holds for the services under the modifier.
    func modified(
        _ remark: String? = nil,
        _ change: @escaping @MainActor (inout PlanContext) -> Void
    ) -> ModifiedService<Self> {
        ModifiedService(self) { context, makeBase in
            var context = context
            change(&context)
            let base = makeBase(context)
            return remark.map { Node(.inner(base), label: .remark($0)) } ?? base
        }
    }
}
