// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
public import Logging
public import ServiceLifecycle
public import UnixSignals
@_exported public import struct HeadraceInspector.ServerSentEvent

/// Runs a server with its relay and its other services, and stops them in the right order.
///
/// ```swift
/// let application = Application(router: router)
/// let server = HeadraceServer(services: [relay, cluster], application: application) { try store.close() }
/// ```
///
/// A graceful shutdown first ends the application, so that no request arrives at a service that has ended, and requests in
/// progress are completed. Then it ends the services in the reverse order of the list, each after the one behind it. The
/// store is closed last, also if a service fails.
///
/// The type conforms to `Service`, so it can also be a service of another group; then pass no signals.
public struct HeadraceServer: Service {
    private let services: [any Service]
    private let application: any Service
    private let signals: [UnixSignal]
    private let shutdownTime: Duration
    private let logger: Logger
    private let close: @Sendable () throws -> Void

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - services: The services on which the requests depend: the relay, clusters, a server of an inspector.
    ///   - application: The HTTP application.
    ///   - signals: The signals that begin a graceful shutdown.
    ///   - shutdownTime: Time after which a graceful shutdown cancels all tasks that are still running.
    ///   - logger: The logger.
    ///   - close: Closes the store.
    public init(
        services: [any Service] = [],
        application: some Service,
        signals: [UnixSignal] = [.sigterm, .sigint],
        shutdownTime: Duration = .seconds(30),
        logger: Logger = Logger(label: "headrace"),
        close: @escaping @Sendable () throws -> Void = {}
    ) {
        self.services = services
        self.application = application
        self.signals = signals
        self.shutdownTime = shutdownTime
        self.logger = logger
        self.close = close
    }

    /// Runs until a graceful shutdown is complete, or the task is cancelled.
    ///
    /// - Throws: The first error of a service; the error of `close`.
    public func run() async throws {
        var configuration = ServiceGroupConfiguration(
            services: services + [application],
            gracefulShutdownSignals: signals,
            logger: logger
        )
        configuration.maximumGracefulShutdownDuration = shutdownTime
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch is CancellationError where !Task.isCancelled {
            // A service was cancelled at the end of the shutdown.
        } catch {
            // The first error is more important than an error of 'close'.
            try? close()
            throw error
        }
        try close()
    }
}

#endif
