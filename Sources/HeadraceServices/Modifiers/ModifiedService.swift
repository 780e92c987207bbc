//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A service with a modifier.
public struct ModifiedService<Base: Service>: Service {
    let base: Base

    /// Makes the node, given the node of the base.
    typealias MakeNode = @MainActor (Node) -> Node

    /// Changes what holds for the base, and returns what makes the node when the base has been read.
    let enter: @MainActor (inout PlanContext) -> MakeNode

    init(_ base: Base, enter: @escaping @MainActor (inout PlanContext) -> MakeNode) {
        self.base = base
        self.enter = enter
    }
}

extension ModifiedService: BuiltInService {
    func beginReading(in context: PlanContext) -> ServiceReading {
        var inner = context
        let makeNode = enter(&inner)
        return ServiceReading(of: base, in: inner, makeNode: makeNode)
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
        ModifiedService(self) { context in
            change(&context)
            return { base in remark.map { Node(.inner(base), label: .remark($0)) } ?? base }
        }
    }
}
