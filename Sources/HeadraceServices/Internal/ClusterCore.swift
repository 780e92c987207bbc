//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// A cluster without its life: what becomes of actions.
@usableFromInline
final class ClusterCore: Sendable {
    let root: Node
    let depthLimit: Int
    @usableFromInline let index: PlanIndex
    private let chain: MiddlewareChain

    /// Whether nothing wraps or watches an action.
    @usableFromInline let isDirect: Bool

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
    @inlinable @inline(__always)
    nonisolated(nonsending) func send<A: Action>(_ action: A, from frame: SendFrame) async throws {
        guard isDirect else { return try await sendThroughChain(action, from: frame, through: index) }
        guard let step = index.step(for: A.self) else { return }
        // Where stores come one after the other, a call less for each.
        if !step.handlers.isEmpty { return try await Step.run(step.handlers, action, frame) }
        do {
            try await step.run(action, frame)
        } catch {
            throw Failures.reported(error)
        }
    }

    /// Has those services of a part of the tree that want `action` handle it.
    nonisolated(nonsending) func send<A: Action>(
        _ action: A,
        from frame: SendFrame,
        through index: PlanIndex
    ) async throws {
        try await sendThroughChain(action, from: frame, through: index)
    }

    @usableFromInline
    nonisolated(nonsending) func sendThroughChain<A: Action>(
        _ action: A,
        from frame: SendFrame,
        through index: PlanIndex
    ) async throws {
        let step = index.step(for: A.self)
        try await chain.run(action, kind: .action) { action in
            do {
                try await step?.run(action, frame)
            } catch {
                throw Failures.reported(error)
            }
        }
    }
}
