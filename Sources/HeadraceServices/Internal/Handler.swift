//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// What a store does when an action of one type comes.
protocol Handler: Sendable {
    var actionType: any Action.Type { get }

    /// Makes the plan for the actions of this type out of a tree.
    func makePlan(of root: Node) -> Plan
}

/// What a store does with actions of one type; a structure, since a bare function would be converted at each call.
@usableFromInline
struct TypedHandler<A: Action>: Handler {
    @usableFromInline typealias Run = nonisolated(nonsending) @Sendable (A, SendFrame) async throws -> Void

    @usableFromInline let run: Run

    @inlinable
    init(_ run: @escaping Run) {
        self.run = run
    }

    /// The same, reading the environment of `site`.
    func reading(at site: PlanSite) -> TypedHandler {
        guard let bindings = site.bindings else { return self }
        let run = run
        return TypedHandler { action, frame in
            let scope = EnvironmentScope(bindings: bindings, frame: frame)
            try await EnvironmentScope.$current.binding(scope) { try await run(action, frame) }
        }
    }

    var actionType: any Action.Type { A.self }

    func makePlan(of root: Node) -> Plan { Plan(Step<A>.make(of: root)) }
}
