// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
public import Headrace
import HeadraceHummingbird
public import HeadraceInspector
import HeadraceServices
import HeadraceStations
import Hummingbird
public import LedgerApplication
public import Logging
import NIOCore
import ServiceLifecycle
public import UnixSignals

/// Serves a ledger by an HTTP API and a live web page, and delivers its events.
///
/// ```swift
/// try await LedgerServer(LedgerServerConfiguration(database: LedgerDatabase("ledger.sqlite"))).run()
/// ```
///
/// Each module of Headrace has a role here. The routes dispatch commands and queries. The ledger consists of entities,
/// events, and event handlers. A tree of services follows the event log. Each import has a flux dispatcher. A station,
/// which is a store, holds the state of the page.
public final class LedgerServer: Sendable {
    /// The configuration.
    public let configuration: LedgerServerConfiguration

    /// The store of the ledger.
    public let store: LedgerStore

    /// The container of the ledger.
    public let container: Container

    /// The relay, which delivers stored events.
    public let relay: Relay

    /// The projections, which compute read models from stored events.
    public let projections: Projections

    /// The state of the page.
    let station: ActorStation<PageState, PageAction>
    let imports: ImportService
    let connections: ConnectionLimit
    let streams: Permits
    private let observers: [any MessageObserver]
    private let inspector: Inspector?
    private let inspectorHistory: InspectorHistory?
    private let access: TokenAccess?
    private let clock: any TimeSource
    private let logger: Logger

    /// Opens the database and composes the server.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - observers: Observers of commands, queries, actions, and events.
    ///   - relayObservers: Observers of the outcomes of deliveries.
    ///   - inspector: The inspector to serve below `/inspector`; `nil` for none.
    ///   - inspectorHistory: The history of the inspector on the disk, which the server runs; `nil` for none.
    ///   - relayConfiguration: The settings of the relay.
    ///   - clock: The clock for all waiting.
    ///   - logger: The logger.
    /// - Throws: ``OpenAddressError`` if other machines can reach the server and it has no users; ``WebhookError`` if there is a
    ///   webhook and the program was built without the trait `Webhooks`; `StoreError` if the database can't be opened;
    ///   `CompositionError` if a registration is missing.
    public init(
        _ configuration: LedgerServerConfiguration,
        observers: [any MessageObserver] = [],
        relayObservers: [any RelayObserver] = [],
        inspector: Inspector? = nil,
        inspectorHistory: InspectorHistory? = nil,
        relay relayConfiguration: Relay.Configuration = Relay.Configuration(),
        clock: any TimeSource = ContinuousClock(),
        logger: Logger = Logger(label: "ledger")
    ) async throws {
        if configuration.users.isEmpty, !configuration.isLocal { throw OpenAddressError(host: configuration.host) }
        access = configuration.users.isEmpty ? nil : TokenAccess(configuration.users, configuration.sessions)
        let inspectorObservers = inspector.map { [$0.observer] } ?? []
        let observers = observers + inspectorObservers
        self.configuration = configuration
        self.observers = observers
        self.inspector = inspector
        self.inspectorHistory = inspectorHistory
        self.clock = clock
        self.logger = logger
        let webhook = try configuration.webhook.map { try Self.makeWebhook($0, clock: clock, logger: logger) }
        store = try await configuration.database.open()
        var composition = LedgerComposition.Configuration()
        composition.webhook = webhook
        composition.relay = relayConfiguration
        composition.observers = observers
        composition.relayObservers = relayObservers + inspectorObservers
        composition.clock = clock
        container = try LedgerComposition.makeContainer(on: store.base, configuration: composition)
        relay = container.resolve()
        projections = container.resolve()
        station = ActorStation(initialState: PageState(), observers: observers, clock: clock) { PageDripper() }
        imports = ImportService(
            container: container,
            spool: Self.spool(of: configuration.database, store: store),
            limits: configuration.limits,
            observers: observers,
            clock: clock,
            logger: logger
        )
        connections = ConnectionLimit(FileLimit.allow(configuration.limits.connections))
        streams = Permits(configuration.limits.eventStreams)
        inspector?.show(container.graph)
        inspector?.show(station, named: "Page")
        inspector?.show(store.base)
        inspector?.show(projections)
        inspector?.show(relay)
    }

    private static func makeWebhook(_ url: URL, clock: any TimeSource, logger: Logger) throws -> any Webhook {
        #if Webhooks
        HTTPWebhook(url, clock: clock, logger: logger)
        #else
        throw WebhookError.unavailable
        #endif
    }

    /// Journals are beside a file, so that the file stays small, and in a database that several machines share.
    private static func spool(of database: LedgerDatabase, store: LedgerStore) -> any JournalSpool {
        database.path.map { ImportSpool(database: $0) } ?? StoreSpool(store: store.base)
    }

    /// Serves until a graceful shutdown is triggered or the task is cancelled.
    ///
    /// A graceful shutdown takes less than two seconds. The server completes the open requests and ends the event
    /// streams. The next start continues imports and deliveries.
    ///
    /// - Parameters:
    ///   - signals: The signals that trigger a graceful shutdown.
    ///   - onListening: Called with the address when the server listens.
    ///   - onInspecting: Called with the address of the inspector when the server listens, if there is an inspector. The
    ///     address contains the token.
    /// - Throws: ``ListeningError`` if the server can't listen at the address; the errors of the services.
    public func run(
        signals: [UnixSignal] = [.sigterm, .sigint],
        onListening: @escaping @Sendable (_ address: String) async -> Void = { _ in },
        onInspecting: @escaping @Sendable (_ address: String) async -> Void = { _ in }
    ) async throws {
        do {
            let server = try await makeServer(
                signals: signals, onListening: onListening, onInspecting: onInspecting)
            try await server.run()
        } catch {
            // The first error is more important than an error of 'close()'. Closing the store again does nothing.
            try? store.close()
            throw ListeningError(error, configuration) ?? error
        }
    }

    /// Creates the service of all parts.
    func makeServer(
        signals: [UnixSignal] = [],
        onListening: @escaping @Sendable (_ address: String) async -> Void,
        onInspecting: @escaping @Sendable (_ address: String) async -> Void = { _ in }
    ) async throws -> HeadraceServer {
        // Before the page is loaded, so that it misses no event. Some events may be read twice.
        let services = LedgerServices(
            store: store.base,
            position: try await store.base.deliveryStatistics().lastPosition,
            pollInterval: configuration.limits.pollInterval,
            clock: clock
        )
        var settings = Bootstrap.Configuration()
        settings.observers = observers
        settings.clock = clock
        let model = PageModel(station: station, container: container, imports: imports)
        let cluster = try await Bootstrap(configuration: settings) {
            services.with(model: model)
        }
        inspector?.show(cluster.graph)
        let history: [any ServiceLifecycle.Service] = inspectorHistory.map { [$0] } ?? []
        return HeadraceServer(
            services: history + [relay, projections, cluster, imports],
            application: makeApplication(onListening: onListening, onInspecting: onInspecting),
            signals: signals,
            shutdownTime: .milliseconds(1_200),
            logger: logger
        ) { [store] in
            try store.close()
        }
    }

    /// The host as in a URL.
    private var urlHost: String { configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host }

    /// Creates the router, and returns it with the path of the sign-in of the inspector.
    func makeRouter() -> (router: Router<LedgerRequestContext>, signInPath: String?) {
        let router = Router(context: LedgerRequestContext.self, options: .autoGenerateHeadEndpoints)
        let host = urlHost
        // The inspector comes before the middleware, so that the flow doesn't show its own requests. It checks the host and the
        // origin itself.
        let signInPath = inspector.map { inspector in
            var limits = InspectorRoutes.Limits()
            limits.hosts.formUnion(([host] + configuration.allowedHosts).map { $0.lowercased() })
            return router.mountInspector(
                inspector, allowsWrites: configuration.inspectorAllowsWrites, limits: limits, announce: { _ in }
            )
            .signInPath
        }
        router.addMiddleware {
            SecurityHeaders()
            RequestMiddleware(
                observers: observers, access: access, limits: configuration.limits,
                logLevel: configuration.requestLogLevel)
        }
        // Load balancers send an address of this machine as the host, and the server doesn't know its addresses. The health has no
        // data of users.
        router.health(HealthChecks(store: store.base, relay: relay, clock: clock))
        router.addMiddleware { HostGuardMiddleware(hosts: [configuration.host] + configuration.allowedHosts) }
        router.session(access, at: "api/session")
        let guarded = router.group()
        if access != nil { guarded.add(middleware: PrincipalGuardMiddleware()) }
        let keyed = guarded.group().add(middleware: IdempotencyKeyMiddleware(waitsForFirst: true))
        let limits = configuration.limits
        guarded.messages(of: container, limits: limits.requests).addBooks()
        guarded.messages(of: container).addTables(container.resolve())
        keyed.messages(of: container, limits: limits.requests).addKeyedCommands()
        // Requests that aren't one message.
        router.addPage()
        guarded.addRules(container.resolve(), limits: limits)
        guarded.addImports(imports, of: container.resolve(), limits: limits)
        guarded.addEvents(of: station, streams: streams, limits: limits)
        guarded.addHealth(of: container.resolve(), in: store.base)
        return (router, signInPath)
    }

    private func makeApplication(
        onListening: @escaping @Sendable (_ address: String) async -> Void,
        onInspecting: @escaping @Sendable (_ address: String) async -> Void
    ) -> some ServiceLifecycle.Service {
        let (router, signInPath) = makeRouter()
        router.refuseOtherMethods()
        let host = urlHost
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
                address: .hostname(configuration.host, port: configuration.port),
                serverName: nil,
                backlog: 1_024
            ),
            onServerRunning: { channel in
                let address = "http://\(host):\(channel.localAddress?.port ?? 0)"
                await onListening(address)
                if let signInPath { await onInspecting(address + signInPath) }
            },
            logger: logger
        )
    }
}
#endif
