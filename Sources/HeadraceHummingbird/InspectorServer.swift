// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
public import Foundation
public import HeadraceCore
public import HeadraceInspector
import Hummingbird
import Logging
import NIOCore
public import ServiceLifecycle
import Synchronization

/// An HTTP server for an `Inspector`, reachable from this machine only.
///
/// ```swift
/// let server = InspectorServer(inspector)
/// try await server.start()  // prints the address to open, with the token in it
/// await server.stop()
/// ```
///
/// The server listens on 127.0.0.1, by default on a free port. Each request needs the token; see `InspectorRoutes`. A request must
/// arrive within ten seconds: otherwise the server closes its connection, or answers with the status 408. At most 64 connections are
/// open, and further connections receive the status 503. Targets of more than 8 KiB are always refused.
///
/// A graceful shutdown ends the server at once, including open streams. To serve an inspector from a router of your own, use
/// `Router.mountInspector`.
public final class InspectorServer: Service {
    private struct State {
        var running: Task<Void, any Error>?
        var url: URL?
    }

    private static let connectionLimit = 64
    private static let requestTime: Duration = .seconds(10)

    /// The routes that answer the requests.
    public let routes: InspectorRoutes

    private let port: UInt16
    private let responder: RouterResponder<BasicRequestContext>
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
    ///   - clock: Measures the time until the body of a request has arrived.
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
        let router = Router()
        routes = InspectorRoutes(inspector, allowsWrites: allowsWrites, limits: limits)
        router.mount(routes, at: "", bodyTime: Self.requestTime, clock: clock)
        responder = router.buildResponder()
        self.port = port
        self.announce = announce
    }

    deinit {
        state.withLock { $0.running }?.cancel()
    }

    /// The address to open, including the token; `nil` while the server isn't listening.
    public var url: URL? { state.withLock { $0.url } }

    /// Starts the server, and returns when it listens.
    ///
    /// - Returns: The address to open, including the token.
    /// - Throws: ``InspectorServerError`` if the server is already running or can't listen on the port; `CancellationError` if the
    ///   task is cancelled, or the server is stopped, before it listens.
    @discardableResult
    public func start() async throws -> URL {
        try await begin().url
    }

    /// Serves until ``stop()`` is called, the task is cancelled, or a graceful shutdown begins.
    ///
    /// - Throws: ``InspectorServerError`` if the server is already running or can't listen on the port; `CancellationError` if the
    ///   task is cancelled, or the server is stopped, before it listens; `ServiceGroupError` if it can't accept connections any more.
    public func run() async throws {
        let running = try await begin().running
        let result = await withTaskCancellationOrGracefulShutdownHandler {
            await running.result
        } onCancelOrGracefulShutdown: {
            running.cancel()
        }
        forget(running)
        if !running.isCancelled { try result.get() }
    }

    /// Stops listening, and returns when all connections have ended.
    ///
    /// The server can be started again afterwards.
    public func stop() async {
        guard let running = state.withLock({ $0.running }) else { return }
        running.cancel()
        _ = await running.result
        forget(running)
    }

    private func begin() async throws -> (url: URL, running: Task<Void, any Error>) {
        let (ports, listening) = AsyncStream<Int>.makeStream()
        let application = makeApplication { listening.yield($0) }
        let running = try state.withLock { state in
            if state.running != nil { throw InspectorServerError.alreadyRunning }
            // The server cancels the task when it is stopped or released. The task is detached, because with the task-local values of a
            // service, a graceful shutdown would wait for requests.
            let running = Task.detached {
                defer { listening.finish() }
                try await application.run()
            }
            state.running = running
            return running
        }
        for await port in ports {
            guard let url = URL(string: "http://127.0.0.1:\(port)\(routes.signInPath)") else {
                preconditionFailure("The address of the inspector isn't a URL.")
            }
            state.withLock { if $0.running == running { $0.url = url } }
            announce(url.absoluteString)
            return (url, running)
        }
        let isCancelled = Task.isCancelled || running.isCancelled
        running.cancel()
        let result = await running.result
        forget(running)
        guard !isCancelled, case .failure(let error) = result else { throw CancellationError() }
        throw InspectorServerError.cannotListen(on: port, error)
    }

    private func makeApplication(onListening: @escaping @Sendable (_ port: Int) -> Void) -> some Service {
        let limits = routes.limits
        let connections = ConnectionLimit(Self.connectionLimit)
        var logger = Logger.current
        // Hummingbird logs each start at the level 'info', and each stop at 'error'. Failures are thrown.
        logger.logLevel = .critical
        return Application(
            responder: responder,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [connections.makeHandler()],
                    idleTimeout: TimeAmount(Self.requestTime),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: limits.headerLength,
                        maxHeaderListSize: limits.targetLength + limits.headerLength,
                        maxHeaderFieldCount: limits.headerCount
                    )
                )
            ),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: Int(port)), serverName: nil),
            onServerRunning: { onListening($0.localAddress?.port ?? 0) },
            logger: logger
        )
    }

    private func forget(_ running: Task<Void, any Error>) {
        state.withLock { if $0.running == running { $0 = State() } }
    }
}

/// An error at the start of an ``InspectorServer``.
///
/// Branch on ``code``, log ``message``. Minor releases can add codes.
public struct InspectorServerError: CodedError {
    /// The reason of the error, stable enough to branch on.
    public typealias Code = ErrorCode<InspectorServerError>

    /// The reason of the error.
    public let code: Code

    /// A description of the error and its fix.
    public let message: String

    /// The error of the operating system, if there is one.
    public let cause: (any Error)?

    fileprivate static let alreadyRunning = InspectorServerError(
        code: .alreadyRunning,
        message: "The inspector's server is already running. To fix, start it once, or stop it first.",
        cause: nil
    )

    fileprivate static func cannotListen(on port: UInt16, _ cause: any Error) -> InspectorServerError {
        InspectorServerError(
            code: .cannotListen,
            message: """
                The inspector cannot listen on port \(port) of 127.0.0.1: \(cause). To fix, choose another port, or 0 for a \
                free port.
                """,
            cause: cause
        )
    }
}

extension ErrorCode<InspectorServerError> {
    /// The server is already running.
    public static var alreadyRunning: Self { Self() }

    /// The port is in use, or the process isn't allowed to use it.
    public static var cannotListen: Self { Self() }
}
#endif
