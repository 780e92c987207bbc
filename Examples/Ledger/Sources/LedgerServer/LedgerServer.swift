//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
import Hummingbird
import LedgerApplication
public import Logging
import NIOCore
public import ServiceLifecycle
public import UnixSignals

/// The books, served: an HTTP API, a page that is live, and what happens after something was posted.
///
/// ```swift
/// try await LedgerServer(LedgerServer.Configuration(database: "ledger.sqlite")).run()
/// ```
///
/// Each face of Headrace has its place: commands and queries behind the routes; entities, events and their handlers in the
/// books; a tree of services that follows the events; a flux dispatcher for each import; a station that holds what the page
/// shows.
public final class LedgerServer: Sendable {
    /// How it was configured.
    public let configuration: Configuration

    /// Where the books are kept.
    public let store: SQLiteStore

    /// What the books are made of.
    public let container: Container

    /// Delivers stored events.
    public let relay: Relay

    /// Has what the page shows.
    let station: ActorStation<PageState, PageAction>
    let desk: ImportDesk
    let connections: ConnectionLimit
    let streams: Slots
    private let observers: [any MessageObserver]
    private let inspector: Inspector?
    private let clock: any TimeSource
    private let logger: Logger

    /// Opens the books.
    ///
    /// - Parameters:
    ///   - configuration: What the server needs to know.
    ///   - observers: Are told of each message: commands, queries, actions, events.
    ///   - relayObservers: Are told of each delivery.
    ///   - inspector: Shows what goes on in the server, to whoever serves it.
    ///   - relayConfiguration: How events are delivered.
    ///   - clock: Waits.
    ///   - logger: Is told what goes wrong.
    /// - Throws: `StoreError` where the database cannot be opened; `CompositionError` if the program lacks a registration.
    public init(
        _ configuration: Configuration,
        observers: [any MessageObserver] = [],
        relayObservers: [any RelayObserver] = [],
        inspector: Inspector? = nil,
        relay relayConfiguration: Relay.Configuration = Relay.Configuration(),
        clock: any TimeSource = ContinuousClock(),
        logger: Logger = Logger(label: "ledger")
    ) throws {
        let inspecting = inspector.map { [$0.observer] } ?? []
        let observers = observers + inspecting
        self.configuration = configuration
        self.observers = observers
        self.inspector = inspector
        self.clock = clock
        self.logger = logger
        store = try SQLiteStore(path: configuration.database, entities: Books.entities)
        var books = Books.Configuration()
        books.webhook = configuration.webhook.map { HTTPWebhook($0) }
        books.relay = relayConfiguration
        books.observers = observers
        books.relayObservers = relayObservers + inspecting
        books.clock = clock
        container = try Books.makeContainer(on: store, configuration: books)
        relay = container.resolve()
        station = ActorStation(initialState: PageState(), observers: observers, clock: clock) { PageDripper() }
        desk = ImportDesk(
            container: container,
            spool: ImportSpool(database: configuration.database),
            limits: configuration.limits,
            observers: observers,
            clock: clock,
            logger: logger
        )
        connections = try ConnectionLimit(FileLimit.allow(configuration.limits.connections))
        streams = Slots(configuration.limits.eventStreams)
        inspector?.show(container.graph)
        inspector?.show(station, named: "Page")
        inspector?.show(store)
    }

    /// Serves until it is told to shut down, or the task is cancelled.
    ///
    /// A graceful shutdown takes less than two seconds: what is being answered is answered, event streams end, and what is
    /// being imported or delivered is gone on with next time.
    ///
    /// - Parameters:
    ///   - services: Run beside it, and are shut down after it.
    ///   - signals: Shut it down.
    ///   - onListening: Is given the address once it is listened on.
    /// - Throws: ``ListeningError`` where it cannot listen at the address; what else keeps it from being served.
    public func run(
        beside services: [any ServiceLifecycle.Service] = [],
        signals: [UnixSignal] = [.sigterm, .sigint],
        onListening: @escaping @Sendable (_ address: String) async -> Void = { _ in }
    ) async throws {
        do {
            let group = try await makeGroup(beside: services, signals: signals, onListening: onListening)
            try await Self.run(group)
        } catch {
            // The first error says more than an error of the closing.
            try? store.close()
            throw ListeningError(error, configuration) ?? error
        }
        try store.close()
    }

    /// Runs `group`; that some of it had to be cancelled in the end is no failure.
    static func run(_ group: ServiceGroup) async throws {
        do {
            try await group.run()
        } catch is CancellationError where !Task.isCancelled {}
    }

    /// Makes everything that runs.
    func makeGroup(
        beside services: [any ServiceLifecycle.Service] = [],
        signals: [UnixSignal] = [],
        onListening: @escaping @Sendable (_ address: String) async -> Void
    ) async throws -> ServiceGroup {
        let log = EventLog(store: store, pollInterval: configuration.limits.pollInterval, clock: clock)
        // Before the page is loaded: what happens in between is read twice, and nothing is missed.
        let position = try await log.lastPosition()
        var settings = Bootstrap.Configuration()
        settings.observers = observers
        settings.clock = clock
        let model = PageModel(station: station, container: container, desk: desk)
        let cluster = try await Bootstrap(configuration: settings) {
            BooksTree(log: log, position: position).with(model: model)
        }
        inspector?.show(cluster.graph)
        let application = makeApplication(onListening: onListening)
        var group = ServiceGroupConfiguration(
            services: services + [relay, cluster, desk, application],
            gracefulShutdownSignals: signals,
            logger: logger
        )
        group.maximumGracefulShutdownDuration = .milliseconds(1_200)
        return ServiceGroup(configuration: group)
    }

    /// All routes there are.
    var routes: [LedgerRoute] {
        let limits = configuration.limits
        return BooksRoutes(dispatcher: container.resolve(), limits: limits).routes
            + ImportRoutes(container: container, desk: desk, uploads: Slots(limits.uploads), limits: limits).routes
            + LiveRoutes(station: station, container: container, store: store, streams: streams, limits: limits).routes
            + PageRoutes().routes
    }

    private func makeApplication(
        onListening: @escaping @Sendable (_ address: String) async -> Void
    ) -> some ServiceLifecycle.Service {
        let router = Router(context: LedgerRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: ErrorMiddleware())
        router.add(middleware: HostGuard(configuration))
        for route in routes {
            let respond = route.observed(by: observers)
            router.on(RouterPath(route.path), method: route.method) { request, context in
                try await respond(RequestReader(request: request, context: context))
            }
        }
        let host = configuration.host
        let connections = connections
        let idleTimeout = TimeAmount(configuration.limits.idleTimeout)
        return Application(
            router: router,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [connections.makeHandler()],
                    idleTimeout: idleTimeout,
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: 16 << 10,
                        maxHeaderListSize: 32 << 10,
                        maxHeaderFieldCount: 100
                    )
                )
            ),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: configuration.port),
                serverName: nil,
                backlog: 1_024
            ),
            onServerRunning: { channel in
                let name = host.contains(":") ? "[\(host)]" : host
                await onListening("http://\(name):\(channel.localAddress?.port ?? 0)")
            },
            logger: logger
        )
    }
}
