// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// The part of a cluster that handles actions: the routes, and the middleware around them.
@usableFromInline
final class ClusterCore: Sendable, ActionReceiver {
    let root: TreeNode
    let depthLimit: Int
    @usableFromInline let table: RoutingTable
    private let chain: MiddlewareChain

    /// Whether the cluster has neither middleware nor observers.
    @usableFromInline let isDirect: Bool

    init(_ root: TreeNode, chain: MiddlewareChain, depthLimit: Int) {
        self.root = root
        self.depthLimit = depthLimit
        self.chain = chain
        table = RoutingTable(root)
        isDirect = chain.isEmpty
    }

    @inlinable @inline(__always)
    nonisolated(nonsending) func send<A: Action>(_ action: A, from frame: SendFrame) async throws {
        guard isDirect else { return try await send(action, from: frame, through: table) }
        guard let step = table.step(for: A.self) else { return }
        // Saves a call for each store if the stores run one after the other.
        if !step.handlers.isEmpty { return try await RouteStep.run(step.handlers, action, frame) }
        do {
            try await step.run(action, frame)
        } catch {
            throw CollectedFailures.reported(error)
        }
    }

    /// Passes `action` through the middleware to the services of `table`, which may be a part of the tree.
    @usableFromInline
    nonisolated(nonsending) func send<A: Action>(
        _ action: A,
        from frame: SendFrame,
        through table: RoutingTable
    ) async throws {
        let step = table.step(for: A.self)
        try await chain.run(action, kind: .action) { action in
            do {
                try await step?.run(action, frame)
            } catch {
                throw CollectedFailures.reported(error)
            }
        }
    }
}
