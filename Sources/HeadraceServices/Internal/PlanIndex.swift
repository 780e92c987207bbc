//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import Synchronization

/// What a tree does with the actions of one type.
final class Plan: Sendable {
    /// A `Step` for that type, or `nil` where nothing wants such actions.
    fileprivate let step: (any AnyObject & Sendable)?

    init<A: Action>(_ step: Step<A>?) {
        self.step = step
    }
}

/// Finds what a tree does with an action: only what wants actions of that type is visited.
final class PlanIndex: Sendable {
    private let root: Node
    private let plans: TypeTable<Plan>

    /// The plans for types that nothing in the tree names, where something wants all actions; made when first sent.
    private let others = Mutex<[ObjectIdentifier: Plan]>([:])

    init(_ root: Node) {
        self.root = root
        plans = TypeTable(root.makePlans())
    }

    /// What is done with actions of this type, or `nil` where nothing is.
    func step<A: Action>(for type: A.Type) -> Step<A>? {
        guard let plan = plans[ObjectIdentifier(type)] ?? otherPlan(for: type), let step = plan.step else { return nil }
        // Both tables have under the identity of `A` only plans that were made with `Step<A>`.
        return unsafe unsafeDowncast(step, to: Step<A>.self)
    }

    private func otherPlan<A: Action>(for type: A.Type) -> Plan? {
        guard root.wantsAll else { return nil }
        return others.withLock { others in
            if let plan = others[ObjectIdentifier(type)] { return plan }
            let plan = Plan(Step<A>.make(of: root))
            others[ObjectIdentifier(type)] = plan
            return plan
        }
    }
}
