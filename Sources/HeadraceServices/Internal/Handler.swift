//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// What a store does when an action of one type comes.
protocol Handler: Sendable {
    var actionType: any Action.Type { get }

    /// Makes the plan for the actions of this type out of a tree.
    func makePlan(of root: Node) -> Plan
}

struct TypedHandler<A: Action>: Handler {
    typealias Run = nonisolated(nonsending) @Sendable (A, SendFrame) async throws -> Void

    let run: Run

    /// Creates a handler that reads the environment of `site`.
    init(at site: PlanSite, _ run: @escaping Run) {
        guard let bindings = site.bindings else {
            self.run = run
            return
        }
        self.run = { action, frame in
            let scope = EnvironmentScope(bindings: bindings, frame: frame)
            try await EnvironmentScope.$current.binding(scope) { try await run(action, frame) }
        }
    }

    var actionType: any Action.Type { A.self }

    func makePlan(of root: Node) -> Plan { Plan(Step<A>.make(of: root)) }
}
