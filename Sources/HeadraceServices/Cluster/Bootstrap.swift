// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
import Synchronization

/// A cluster: a running tree of services that handles actions.
///
/// ```swift
/// let cluster = try await Bootstrap {
///     IdentityService()
///         .with(model: identityModel)
/// }
/// try await cluster.send(action: StartUpAction.appDidCompleteLaunching)
/// ```
///
/// The initializer reads the tree once, on the main actor, and makes a route for each action type. A send visits only the
/// services that handle its type. When the last reference to the cluster is released, its emitters stop and its services are
/// freed.
public final class Bootstrap: Sendable {
    @usableFromInline let core: ClusterCore
    private let reference: ClusterReference
    private let problems: [ServiceTreeProblem]
    let emitters: EmitterGroup

    /// Reads the tree, prepares the services, and starts the emitters.
    ///
    /// First the `bootstrap(_:)` handlers run on the main actor, inner services before outer ones. Then the sequences of
    /// `emit(using:consumeAtBootstrap:)` with `consumeAtBootstrap` are consumed, and the other emitters start.
    ///
    /// A tree has at most 256 levels: services, groups, blocks of several services, and modifiers within each other.
    ///
    /// - Parameters:
    ///   - configuration: The settings of the cluster.
    ///   - services: The services. Several services form a group, as in a ``Group``.
    /// - Throws: ``ServiceTreeError`` with all problems that prevent the services from working; the error of the block, of a
    ///   bootstrap handler, or of an action that is consumed at bootstrap.
    public init(
        configuration: Configuration = Configuration(),
        @ServiceBuilder services: @MainActor () throws -> ServiceList
    ) async throws {
        let reference = ClusterReference()
        let send = Send(to: SendTarget(.cluster(reference)), from: SendFrame())
        let tree = try await TreeReader.read(services, send: send)
        let obstacles = tree.problems.filter(\.kind.preventsBootstrap)
        if !obstacles.isEmpty { throw ServiceTreeError(obstacles) }

        self.reference = reference
        problems = tree.problems
        core = ClusterCore(
            tree.root,
            chain: MiddlewareChain(
                middleware: configuration.middleware,
                observers: configuration.observers,
                clock: configuration.clock
            ),
            depthLimit: configuration.depthLimit
        )
        emitters = EmitterGroup(tree.emitters, core: core)
        reference.connect(core)
        do {
            for handler in tree.bootstraps { try await handler() }
            try await emitters.consumeFirst()
        } catch {
            reference.disconnect()
            throw error
        }
        emitters.start()
    }

    deinit {
        reference.disconnect()
        emitters.stop()
    }

    /// Sends `action` to the services that handle its type, and returns when they have finished.
    ///
    /// A service handles an action by its exact type. If no service handles the type, the method returns. Serial services run
    /// in the task and on the actor of the caller; if that task is cancelled, no further service starts. Concurrent services
    /// run in child tasks of the caller's task, and are cancelled with it.
    ///
    /// - Throws: The error of the service that failed, unchanged; ``ServiceFailures`` if there are several errors; the error of
    ///   a middleware; `CancellationError`.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send<A: Action>(action: A) async throws {
        try await core.send(action, from: SendFrame())
    }

    /// Checks the tree for likely mistakes, without running anything.
    ///
    /// The initializer has already thrown the problems that prevent services from working. This method reports actions that no
    /// service handles, and models that no store takes.
    ///
    /// - Throws: ``ServiceTreeError`` with all problems found.
    public func validate() throws {
        if !problems.isEmpty { throw ServiceTreeError(problems) }
    }

    /// A drawing of the tree.
    public var graph: ServiceGraph { ServiceGraph(core.root) }
}
