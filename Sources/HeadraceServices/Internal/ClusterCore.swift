//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// A cluster without its life: what becomes of actions.
final class ClusterCore: Sendable {
    let root: Node
    let depthLimit: Int
    private let index: PlanIndex
    private let chain: MiddlewareChain
    private let isDirect: Bool

    init(_ root: Node, _ configuration: Bootstrap.Configuration) {
        self.root = root
        depthLimit = configuration.depthLimit
        index = PlanIndex(root)
        chain = MiddlewareChain(
            middleware: configuration.middleware,
            observers: configuration.observers,
            clock: configuration.clock
        )
        isDirect = chain.isEmpty
    }

    /// Has the services that want `action` handle it.
    nonisolated(nonsending) func send<A: Action>(_ action: A, from frame: SendFrame) async throws {
        try await send(action, from: frame, through: index)
    }

    /// Has those services of a part of the tree that want `action` handle it.
    nonisolated(nonsending) func send<A: Action>(
        _ action: A,
        from frame: SendFrame,
        through index: PlanIndex
    ) async throws {
        let step = index.step(for: A.self)
        if isDirect {
            guard let step else { return }
            do {
                try await step.run(action, frame)
            } catch {
                throw Failures.reported(error)
            }
        } else {
            try await chain.run(action, kind: .action) { action in
                do {
                    try await step?.run(action, frame)
                } catch {
                    throw Failures.reported(error)
                }
            }
        }
    }
}
