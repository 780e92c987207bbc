// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

#if Lifecycle
public import ServiceLifecycle
#endif

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
/// The initializer reads the tree once, on the main actor, with the action types of its services. A send visits only the
/// services that handle its type. When the last reference to the cluster is released, its emitters stop and its services are
/// freed.
public final class Bootstrap: Sendable {
    private let cluster: Cluster

    /// The target of the actions that the services send.
    private let target: SendTarget

    private let problems: [ServiceTreeProblem]
    private let emitters: [Emitter]

    /// The end of the emitters: a shutdown, or the first error.
    private let end = OneShot<Result<Void, any Error>>()

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
        let target = SendTarget()
        let send = Send(to: target, from: SendFrame())
        let tree = try await TreeReader.read(services, send: send)
        let obstacles = tree.problems.filter(\.kind.preventsBootstrap)
        if !obstacles.isEmpty { throw ServiceTreeError(obstacles) }

        self.target = target
        problems = tree.problems
        emitters = tree.emitters
        cluster = Cluster(tree.root, configuration)
        target.connect(cluster)
        do {
            for handler in tree.bootstraps { try await handler() }
            for emitter in emitters where emitter.isConsumedFirst { try await emitter.consume(for: target) }
        } catch {
            target.disconnect()
            throw error
        }
        for emitter in emitters where !emitter.isConsumedFirst { emitter.start(for: target, end: end) }
    }

    deinit {
        target.disconnect()
        stopEmitters()
    }

    /// Sends `action` to the services that handle its type, and returns when they have finished.
    ///
    /// A service handles an action by its exact type. If no service handles the type, the method returns. Serial services run
    /// in the task and on the actor of the caller; if that task is cancelled, no further service starts. Concurrent services
    /// run in child tasks of the caller's task, and are cancelled with it.
    ///
    /// - Throws: The error of the service that failed, unchanged; ``ServiceFailures`` if there are several errors; the error of
    ///   a middleware; `CancellationError`.
    public nonisolated(nonsending) func send<A: Action>(action: A) async throws {
        try await cluster.send(action, from: SendFrame())
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
    public var graph: ServiceGraph { ServiceGraph(cluster.root) }
}

extension Bootstrap {
    /// The settings of a cluster.
    public struct Configuration: Sendable {
        /// The middleware around each action, outermost first; empty by default.
        public var middleware: [any Middleware] = []

        /// The observers of each action; empty by default.
        public var observers: [any MessageObserver] = []

        /// The maximum number of sends within each other, not counting the first; 100 by default.
        public var depthLimit = 100

        /// The clock for deadlines and for the durations that observers receive.
        public var clock: any TimeSource = CurrentClock()

        /// Creates a configuration with the default settings.
        public init() {}
    }
}

extension Bootstrap {
    /// Runs until a graceful shutdown or until ``shutDown()`` is called.
    ///
    /// The emitters work whether or not this method runs. With the trait `Lifecycle`, the method makes the cluster a service of
    /// swift-service-lifecycle: a graceful shutdown drains the emitters, and cancelling the task stops them.
    ///
    /// - Throws: The error of an emitter's sequence, after the other emitters are drained; `CancellationError`.
    public func run() async throws {
        do {
            #if Lifecycle
            try await withGracefulShutdownHandler {
                try await end.wait().get()
            } onGracefulShutdown: {
                self.end.set(.success(()))
            }
            #else
            try await end.wait().get()
            #endif
        } catch is CancellationError {
            stopEmitters()
            throw CancellationError()
        } catch {
            await drainEmitters()
            throw error
        }
        await drainEmitters()
    }

    /// Drains the emitters, outer ones first, and returns when their last action is handled.
    ///
    /// Draining cancels the wait for a sequence. Elements that the sequence has already buffered are still handled, as with
    /// `AsyncStream`. Afterwards you can still send actions to the cluster.
    public func shutDown() async {
        end.set(.success(()))
        await drainEmitters()
    }

    /// Drains the emitters, outer ones first, and returns when all have ended.
    private func drainEmitters() async {
        for emitter in emitters.reversed() { await emitter.drain() }
    }

    /// Ends the emitters and cancels their actions.
    private func stopEmitters() {
        end.set(.failure(CancellationError()))
        for emitter in emitters { emitter.stop() }
    }
}

#if Lifecycle
extension Bootstrap: ServiceLifecycle.Service {}
#endif

/// The part of a cluster that handles actions: the tree, and the middleware around it.
final class Cluster: Sendable {
    let root: ServiceNode

    /// Maximum number of sends within each other, not counting the first.
    let depthLimit: Int

    private let chain: MiddlewareChain

    init(_ root: ServiceNode, _ configuration: Bootstrap.Configuration) {
        self.root = root
        depthLimit = configuration.depthLimit
        chain = MiddlewareChain(
            middleware: configuration.middleware,
            observers: configuration.observers,
            clock: configuration.clock
        )
    }

    /// Passes `action` through the middleware to the services of the tree, or of the part of it under `node`.
    nonisolated(nonsending) func send<A: Action>(
        _ action: A,
        from frame: SendFrame,
        to node: ServiceNode? = nil
    ) async throws {
        let node = node ?? root
        if chain.isEmpty { return try await Self.run(action, frame, at: node) }
        try await chain.run(action, kind: .action) { action in
            try await Self.run(action, frame, at: node)
        }
    }

    @inline(__always)
    private static nonisolated(nonsending) func run(
        _ action: some Action,
        _ frame: SendFrame,
        at node: ServiceNode
    ) async throws {
        do {
            try await node.run(action, frame)
        } catch {
            throw CollectedFailures.reported(error)
        }
    }
}
