// SPDX-License-Identifier: Apache-2.0

#if Simulation
import HeadraceProjections
import HeadraceRelay
public import HeadraceResolution

extension SimulatedWorld {
    /// Starts `count` nodes, each with the container of an application, its relay, and its projections.
    ///
    /// - Parameters:
    ///   - name: The name of the nodes in reports; they are numbered if there are several.
    ///   - count: The number of nodes.
    ///   - level: How strictly the container is validated. The default refuses a container whose dependencies aren't known.
    ///   - make: Makes the container of a node, with `node.store` as its store.
    /// - Returns: The nodes.
    /// - Throws: `CancellationError` if the run ends before.
    public func start(
        _ name: String,
        count: Int = 1,
        validation level: ValidationLevel = .strict,
        _ make: @escaping @Sendable (SimulatedNode<Container>) async throws -> Container
    ) async throws -> [SimulatedNode<Container>] {
        let makeContent: @Sendable (SimulatedNode<Container>) async throws -> Container = { node in
            let container = try await make(node)
            try container.validate(level)
            if let relay = container.tryResolve(Relay.self) { node.run { try await relay.run() } }
            if let projections = container.tryResolve(Projections.self) { node.run { try await projections.run() } }
            return container
        }
        return try await start(name, count: count, content: makeContent)
    }
}
#endif
