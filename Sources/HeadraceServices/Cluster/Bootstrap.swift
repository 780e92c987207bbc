//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore
import Synchronization

/// Makes a cluster out of a tree of services, and is that cluster.
///
/// ```swift
/// let cluster = try await Bootstrap {
///     IdentityService()
///         .with(model: identityModel)
/// }
/// try await cluster.send(action: StartUpAction.appDidCompleteLaunching)
/// ```
///
/// The tree is read once, on the main actor: which service wants which action is known from then on, and sending visits only
/// those. A cluster that nobody holds any more stops its emitters and frees its services.
public final class Bootstrap: Sendable {
    @usableFromInline let core: ClusterCore
    private let reference: ClusterReference
    private let problems: [ServiceTreeProblem]
    let emitters: EmitterGroup

    /// Reads the tree, prepares the services, and starts what emits actions.
    ///
    /// The services are prepared on the main actor, those under others first (`bootstrap(_:)`); then what is
    /// to be consumed first is consumed (`emit(using:consumeAtBootstrap:)`).
    ///
    /// A tree has at most 256 levels: services, groups, blocks of several services, and modifiers within each other.
    ///
    /// - Parameters:
    ///   - configuration: How the cluster handles actions.
    ///   - services: The services; several belong together as in a ``Group``.
    /// - Throws: ``ServiceTreeError`` with everything that keeps the services from working; what the block, a bootstrap
    ///   handler or an action that is consumed at the start throws.
    public init(
        configuration: Configuration = Configuration(),
        @ServiceBuilder services: @MainActor () throws -> ServiceList
    ) async throws {
        let reference = ClusterReference()
        let reading = try await Planner.read(
            services, send: Send(to: SendTarget(.cluster(reference)), from: SendFrame()))
        let obstacles = reading.problems.filter(\.kind.preventsBootstrap)
        if !obstacles.isEmpty { throw ServiceTreeError(obstacles) }

        self.reference = reference
        core = ClusterCore(reading.root, configuration)
        problems = reading.problems
        emitters = EmitterGroup(reading.emitters, core: core)
        reference.connect(core)
        do {
            for handler in reading.bootstraps { try await handler() }
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

    /// Has the services that want `action` handle it, and returns when they have.
    ///
    /// A service wants an action by its exact type. Where nothing wants it, nothing happens. Services that take it one
    /// after the other run in the task and on the actor of the caller, and once that task is cancelled, the next one is not
    /// begun; others run in child tasks, and are cancelled with it.
    ///
    /// - Throws: The error of the service that failed, as it is; ``ServiceFailures`` where several did at the same time;
    ///   what a middleware throws; `CancellationError`.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send<A: Action>(action: A) async throws {
        try await core.send(action, from: SendFrame())
    }

    /// Tells what is odd about the tree, without running anything.
    ///
    /// What keeps services from working has kept the cluster from being made. What is left are actions to which nobody
    /// reacts, and models that no store takes.
    ///
    /// - Throws: ``ServiceTreeError`` with everything found.
    public func validate() throws {
        if !problems.isEmpty { throw ServiceTreeError(problems) }
    }

    /// The tree as it was read.
    public var graph: ServiceGraph { ServiceGraph(core.root) }
}
