//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore
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
@usableFromInline
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
    @inlinable
    func step<A: Action>(for type: A.Type) -> Step<A>? {
        guard let step = namedStep(for: type) ?? otherStep(for: type) else { return nil }
        // Under the identity of `A` there are only plans that were made with `Step<A>`.
        return unsafe unsafeDowncast(step, to: Step<A>.self)
    }

    /// A `Step` for this type, where something in the tree names the type.
    @usableFromInline
    func namedStep(for type: Any.Type) -> (any AnyObject & Sendable)? {
        unsafe plans.unretained(type)?._withUnsafeGuaranteedRef { $0.step }
    }

    /// A `Step<A>`, where something wants all actions.
    @usableFromInline
    func otherStep<A: Action>(for type: A.Type) -> (any AnyObject & Sendable)? {
        root.wantsAll ? otherPlan(for: type).step : nil
    }

    private func otherPlan<A: Action>(for type: A.Type) -> Plan {
        others.withLock { others in
            if let plan = others[ObjectIdentifier(type)] { return plan }
            let plan = Plan(Step<A>.make(of: root))
            others[ObjectIdentifier(type)] = plan
            return plan
        }
    }
}
