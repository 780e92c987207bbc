// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import AsyncAlgorithms
import Foundation
import HeadraceProcesses
import HTTPTypes
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceHummingbird
import HeadraceInspector
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import Hummingbird
import Logging
import ServiceLifecycle
import Testing

private struct ReserveSeat: CQDCommand, Codable, Validatable {
    var event: UUID
    var seat: Int

    func validate(_ validation: inout Validation) {
        validation.require(seat > 0, "seat", "must be positive")
    }
}

private struct SeatsLeft: CQDQuery, Decodable {
    typealias Value = Int
    var event: UUID
}

private struct ListReservations: CQDStreamQuery, Decodable {
    typealias Element = Int
}

private struct BookingError: CodedError {
    enum Code { case soldOut, closed }

    let code: Code
    let message: String
}

private enum Bucket: String { case photos }

private struct Upload: NamedMessage {
    var bucket: Bucket
    var messageName: String { "upload to \(bucket)" }
}

/// A service that ends at once.
private struct Ending: ServiceLifecycle.Service {
    func run() async throws {}
}

@Suite(.timeLimit(.minutes(2))) struct HummingbirdExamples {
    private func makeContainer() throws -> (container: Container, store: InMemoryStore) {
        let store = try InMemoryStore(entities: [])
        let builder = ContainerBuilder()
        builder.domain(store: store)
        builder.commandQueryDispatch().standard()
        return (builder.build(), store)
    }

    @Test func theArticleShowsAServer() async throws {
        let (container, store) = try makeContainer()
        let relay: Relay = container.resolve()
        func serve() async throws {
            let inspector = Inspector()
            var requests = RequestMiddleware<BasicRequestContext>.Configuration()
            requests.observers = [inspector.observer]
            requests.problems.add(BookingError.self) { $0 == .soldOut ? .conflict : .unprocessableContent }

            let router = Router()
            router.mountInspector(inspector)  // writes the path to open, with the token in it, to standard error
            router.health(HealthChecks(store: store, relay: relay))
            router.addMiddleware {
                RequestMiddleware(requests)
                HostGuardMiddleware(hosts: ["booking.example"])
                ConcurrencyLimitMiddleware(512)
                IdempotencyKeyMiddleware()
            }

            let messages = router.messages(of: container, problems: requests.problems)
            messages.post("reservations", command: ReserveSeat.self)
            messages.get("events/{event}/seats", query: SeatsLeft.self)
            messages.get("reservations", stream: ListReservations.self)

            let server = HeadraceServer(services: [relay], application: Application(router: router)) {
                try store.close()
            }
            try await server.run()
        }
        let run = Task { try await serve() }
        run.cancel()
        _ = await run.result
    }

    private struct Row: Decodable {
        var event: UUID
        var number: Int
    }

    @Test func aRouteMakesAMessage() throws {
        let (container, _) = try makeContainer()
        let router = Router()
        let messages = router.messages(of: container)

        messages.get("rows/{number}", from: Row.self) {
            SeatsLeft(event: $0.event)
        } answer: { seats, row in
            "Row \(row.number) of \(seats) seats"
        }

        #expect(router.routes.count == 1)
    }

    @Test func usersHaveTokens() throws {
        let (container, _) = try makeContainer()
        let router = Router()
        let access = TokenAccess(try TokenUser.users(in: "ada:\(TokenUser.makeToken())"))
        var requests = RequestMiddleware<BasicRequestContext>.Configuration()
        requests.principal = { request, _ in try access.user(of: request) }
        requests.logLevel = .info
        router.addMiddleware {
            RequestMiddleware(requests)
            HostGuardMiddleware(hosts: ["booking.example"])
        }
        router.session(access)
        let guarded = router.group().add(middleware: PrincipalGuardMiddleware())
        guarded.messages(of: container).get("events/{event}/seats", query: SeatsLeft.self)

        #expect(router.routes.count == 4)
        func users() throws -> [TokenUser] {
            let users = try TokenUser.users(in: String(contentsOfFile: "tokens", encoding: .utf8))
            return users
        }
        #expect(throws: CocoaError.self) { try users() }
    }

    @Test func anAccessGuardsAGroup() throws {
        let users = [try TokenUser("ada", token: TokenUser.makeToken())]
        let router = Router()
        var requests = RequestMiddleware<BasicRequestContext>.Configuration()

        let access = TokenAccess(users)
        requests.principal = { request, _ in try access.user(of: request) }
        router.addMiddleware {
            RequestMiddleware(requests)
            HostGuardMiddleware(hosts: ["books.example"])
        }
        router.session(access, at: "session")
        let guarded = router.group().add(middleware: PrincipalGuardMiddleware())

        guarded.get("x") { _, _ in "" }
        #expect(router.routes.count == 4)
    }

    @Test func errorsHaveRules() {
        var problems = ProblemTable()
        problems.add(BookingError.self) { $0 == .soldOut ? .conflict : .unprocessableContent }

        #expect(problems.problem(for: BookingError(code: .soldOut, message: "Sold out."))?.status == .conflict)
        #expect(problems.problem(for: BookingError(code: .closed, message: "Closed."))?.status == .unprocessableContent)
    }

    @Test func aRouterIsComposedOfParts() throws {
        let (container, store) = try makeContainer()
        let relay: Relay = container.resolve()
        let inspector = Inspector()
        let router = Router()
        let ticks = [ServerSentEvent(data: "tick")].async
        let cluster = Ending()

        router.mountInspector(inspector)  // writes the path to open, with the token in it, to standard error

        router.health(HealthChecks(store: store, relay: relay))

        var configuration = RequestMiddleware<BasicRequestContext>.Configuration()
        configuration.observers = [inspector.observer]
        configuration.problems.add(BookingError.self) { $0 == .soldOut ? .conflict : .unprocessableContent }
        router.add(middleware: RequestMiddleware(configuration))

        let messages = router.messages(of: container)
        messages.post("reservations/{id}", command: ReserveSeat.self)
        messages.get("seats/{event}", query: SeatsLeft.self)
        messages.get("reservations", stream: ListReservations.self)

        router.get("ticks") { request, _ in
            Response.events(ticks, to: request)
        }
        func makeServer() -> HeadraceServer {
            let application = Application(router: router)
            let server = HeadraceServer(services: [relay, cluster], application: application) { try store.close() }
            return server
        }
        _ = makeServer()
    }

    @Test func theConnectionsOfAServerAreLimited() {
        func makeApplication(_ router: Router<BasicRequestContext>) -> some ServiceLifecycle.Service {
            let connections = ConnectionLimit(4_096)
            let application = Application(
                router: router,
                server: .http1(configuration: .init(additionalChannelHandlers: [connections.makeHandler()]))
            )
            return application
        }
        _ = makeApplication(Router())
    }

    @Test func keysComeAfterTheRequest() {
        let router = Router()

        router.add(middleware: RequestMiddleware())
        router.add(middleware: IdempotencyKeyMiddleware())

        #expect(Upload(bucket: .photos).messageName == "upload to photos")
    }

    @Test func anEventIsText() {
        let event = ServerSentEvent("seats", data: #"{"left": 3}"#, id: "17")
        print(event.text)  // three lines, then an empty line

        #expect(event.text == "id: 17\nevent: seats\ndata: {\"left\": 3}\n\n")
    }
}
#endif
