// SPDX-License-Identifier: Apache-2.0

#if Inspector
public import Foundation
public import HeadraceCore
import Synchronization

#if Lifecycle
public import ServiceLifecycle
#endif

/// An HTTP server for an ``Inspector``, reachable from this machine only.
///
/// ```swift
/// let server = InspectorServer(inspector)
/// try await server.start()        // prints the address to open, with the token in it
/// await server.stop()
/// ```
///
/// The server listens on 127.0.0.1, by default on a free port. Each request needs the token; see ``InspectorRoutes``. A
/// connection carries one request, which must arrive within ten seconds.
///
/// The server requires the trait `Inspector`. With the trait `Lifecycle`, it conforms to `Service` of
/// swift-service-lifecycle: a graceful shutdown ends it at once, including open streams.
public final class InspectorServer: Sendable {
    private struct State {
        var isStarting = false
        var loop: Task<Void, Never>?
        var url: URL?
    }

    /// The routes that answer the requests.
    public let routes: InspectorRoutes

    private let port: UInt16
    private let clock: any TimeSource
    private let announce: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// Creates a server.
    ///
    /// Call ``start()`` or ``run()`` to listen.
    ///
    /// - Parameters:
    ///   - inspector: The inspector to serve.
    ///   - port: The port on 127.0.0.1; 0, the default, selects a free port.
    ///   - allowsWrites: Whether operators may change deliveries, dead letters, and subscriptions.
    ///   - limits: Limits on requests.
    ///   - clock: Measures the timeouts of connections.
    ///   - announce: Receives the address to open whenever the server starts; by default writes it to standard error,
    ///     which has no buffer. The address contains the token, so don't send it to a log that others read.
    public init(
        _ inspector: Inspector,
        port: UInt16 = 0,
        allowsWrites: Bool = false,
        limits: InspectorRoutes.Limits = InspectorRoutes.Limits(),
        clock: any TimeSource = ContinuousClock(),
        announce: @escaping @Sendable (String) -> Void = {
            FileHandle.standardError.write(Data("Inspector: \($0)\n".utf8))
        }
    ) {
        routes = InspectorRoutes(inspector, allowsWrites: allowsWrites, limits: limits)
        self.port = port
        self.clock = clock
        self.announce = announce
    }

    deinit {
        state.withLock { $0.loop }?.cancel()
    }

    /// The address to open, including the token; `nil` while the server isn't listening.
    public var url: URL? { state.withLock { $0.url } }

    /// Starts the server, and returns when it listens.
    ///
    /// - Returns: The address to open, including the token.
    /// - Throws: ``InspectorServerError`` if the server is already running or can't listen on the port.
    @discardableResult
    public func start() async throws -> URL {
        try await begin().url
    }

    /// Serves until ``stop()`` is called, the task is cancelled, or a graceful shutdown begins.
    ///
    /// - Throws: ``InspectorServerError`` if the server is already running or can't listen on the port.
    public func run() async throws {
        let loop = try await begin().loop
        #if Lifecycle
        await withGracefulShutdownHandler {
            await Self.end(of: loop)
        } onGracefulShutdown: {
            loop.cancel()
        }
        #else
        await Self.end(of: loop)
        #endif
        forget(loop)
    }

    /// Stops listening, and returns when all connections have ended.
    ///
    /// The server can be started again afterwards.
    public func stop() async {
        guard let loop = state.withLock({ $0.loop }) else { return }
        loop.cancel()
        await loop.value
        forget(loop)
    }

    private func begin() async throws -> (url: URL, loop: Task<Void, Never>) {
        let isFree = state.withLock { state in
            if state.isStarting || state.loop != nil { return false }
            state.isStarting = true
            return true
        }
        if !isFree { throw InspectorServerError.alreadyRunning }
        defer { state.withLock { $0.isStarting = false } }

        let loop: ServerLoop
        do {
            loop = try await ServerLoop(port: port, routes: routes, clock: clock)
        } catch {
            throw InspectorServerError.cannotListen(on: port, error)
        }
        guard let url = URL(string: "http://127.0.0.1:\(loop.port)\(routes.signInPath)") else {
            preconditionFailure("The address of the inspector isn't a URL.")
        }
        let task = loop.begin()
        state.withLock { state in
            state.loop = task
            state.url = url
        }
        announce(url.absoluteString)
        return (url, task)
    }

    private func forget(_ loop: Task<Void, Never>) {
        state.withLock { state in
            guard state.loop == loop else { return }
            state.loop = nil
            state.url = nil
        }
    }

    private static func end(of loop: Task<Void, Never>) async {
        await withTaskCancellationHandler {
            await loop.value
        } onCancel: {
            loop.cancel()
        }
    }
}

#if Lifecycle
extension InspectorServer: Service {}
#endif
#endif
