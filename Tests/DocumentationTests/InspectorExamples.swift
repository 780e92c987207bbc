// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceHummingbird
import HeadraceInspector
import HeadraceRelay
import HeadraceResolution
import HeadraceServices
import HeadraceStations
import HeadraceStorage
import Logging
import ServiceLifecycle
import Testing

private struct PostTransaction: CQDCommand {
    let postings: [Int]
}

private struct PostTransactionHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: PostTransaction) async throws {}
}

private struct WebRequest: Sendable {
    let path: String
}

private struct Counting: Dripper {
    typealias State = Int
    typealias Action = Bool

    var body: some Dripper<State, Action> {
        Drip { state, action in
            state += 1
            return .none
        }
    }
}

/// A program that ends at once.
private struct Ending: ServiceLifecycle.Service {
    func run() async throws {}
}

@Suite(.timeLimit(.minutes(2))) struct InspectorExamples {
    private let handlers: [any (HandlesCommand & Resolvable).Type] = [PostTransactionHandler.self]

    @Test func theInspectorNeedsAFewLines() async throws {
        let builder = ContainerBuilder()
        let container = ContainerBuilder().build()
        let store = try InMemoryStore(entities: [])

        let inspector = Inspector()
        builder.commandQueryDispatch().standard(commandHandlers: handlers, observers: [inspector.observer])
        let registrar = DomainEventHandlerRegistrar(resolver: container, observers: [inspector.observer])
        inspector.show(container.graph)
        inspector.show(store)
        let server = InspectorServer(inspector)

        #expect(server.url == nil)
        try registrar.validate()
    }

    @Test func aHistoryOnTheDiskNeedsThreeLines() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "headrace-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }

        func start() async throws {
            let history = try InspectorHistory(in: folder)
            let inspector = Inspector(history: history)
            // beside the relay, in the group of services
            try await history.run()
            #expect(inspector.observer.isListening)
        }
        let running = Task { try await start() }
        running.cancel()
        try await running.value

        #expect(FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func theArticleConnectsAllFeatures() async throws {
        let builder = ContainerBuilder()
        let container = ContainerBuilder().build()
        let store = try InMemoryStore(entities: [])
        let station = ActorStation(initialState: 0) { Counting() }
        let cluster = try await Bootstrap { Group {} }
        let logger = Logger(label: "examples")
        func makeServices() -> (relay: any ServiceLifecycle.Service, server: InspectorServer) {
            let inspector = Inspector()

            // the flow
            builder.commandQueryDispatch().standard(commandHandlers: handlers, observers: [inspector.observer])
            let registrar = DomainEventHandlerRegistrar(resolver: container, observers: [inspector.observer])
            let relay = Relay(
                store: store,
                registrar: registrar,
                observers: [inspector.observer],
                relayObservers: [inspector.observer]
            )

            // what there is
            inspector.show(container.graph)
            inspector.show(cluster.graph)
            inspector.show(station, named: "Page")
            inspector.show(store)

            // the page
            let server = InspectorServer(inspector, allowsWrites: true)
            return (relay, server)
        }

        let (relay, server) = makeServices()
        var group = ServiceGroupConfiguration(
            services: [
                .init(service: relay),
                .init(service: server),
                .init(service: Ending(), successTerminationBehavior: .gracefullyShutdownGroup),
            ],
            logger: logger
        )
        group.maximumGracefulShutdownDuration = .seconds(60)
        try await ServiceGroup(configuration: group).run()

        #expect(server.url == nil)
        #expect(server.routes.allowsWrites)
    }

    @Test func theServerIsStartedAndStopped() async throws {
        let inspector = Inspector()

        let server = InspectorServer(inspector)
        try await server.start()  // prints the address to open, with the token in it
        await server.stop()

        #expect(server.url == nil)
    }

    @Test func routesAnswerInAnyServer() async throws {
        let inspector = Inspector()
        let (target, headers) = ("/inspector/", [(name: "Host", value: "127.0.0.1")])

        let routes = InspectorRoutes(inspector, basePath: "/inspector")
        print("http://127.0.0.1:8080" + routes.signInPath)
        // in the handler of your server, for all methods and all paths below the base path
        let response = await routes.respond(to: InspectorRequest(method: "GET", target: target, headers: headers))

        #expect(response.status == 401)
    }

    @Test func aRuleRedactsValues() {
        var redaction = Redaction.typesOnly
        redaction.message = { message in (message as? PostTransaction).map { "\($0.postings.count) postings" } }
        redaction.failure = { $0 }

        #expect(redaction.message(PostTransaction(postings: [1, -1])) == "2 postings")
        #expect(redaction.message(WebRequest(path: "/")) == nil)
    }

    @Test func aRequestIsTheFirstMessageOfItsChain() async throws {
        let inspector = Inspector()
        let request = WebRequest(path: "/transactions")
        func respond(to request: WebRequest) async throws -> String {
            "\(request.path) \(MessageContext.current?.kind.description ?? "nothing")"
        }

        let response = try await withRootMessage(request, observers: [inspector.observer]) { request in
            try await respond(to: request)
        }

        #expect(response == "/transactions request")
    }
}
#endif
