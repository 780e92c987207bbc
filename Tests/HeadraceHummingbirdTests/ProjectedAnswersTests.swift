// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HTTPTypes
import HeadraceClient
import HeadraceCommands
import HeadraceDomain
import HeadraceProjections
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Hummingbird
import Testing

@testable import HeadraceHummingbird

/// Queries whose handlers read a projection.
@Suite(.timeLimit(.minutes(1))) struct ProjectedAnswersTests {
    private let store: InMemoryStore
    private let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())

    init() throws {
        store = try InMemoryStore(entities: Projections.entities)
    }

    private func visit() async throws {
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { $0.raiseEvent(Visited()) }
    }

    /// Runs the projection until it has applied all events, and then runs `operation`.
    private func projecting(_ operation: (Projections) async throws -> Void = { _ in }) async throws {
        let projections = Projections(visits, on: store, delegator: registrar)
        let running = Task { try await projections.run() }
        try await projections.untilCurrent()
        try await operation(projections)
        projections.shutDown()
        try await running.value
    }

    @Test func aClientAsksAgainWhileTheProjectionIsBehind() async throws {
        try await visit()
        try await projecting()
        try await visit()
        let projections = Projections(visits, on: store, delegator: registrar)
        let builder = ContainerBuilder()
        builder.singleton(Projections.self) { _ in projections }
        builder.commandQueryDispatch().standard(queryHandlers: [CountVisitsHandler.self])
        let api = MessageAPI([.get("visits", query: CountVisits.self)])
        let router = Router()
        router.add(middleware: RequestMiddleware(RequestMiddleware.Configuration()))
        try router.messages(of: builder.build()).mount(api)

        let answer = try await router.client.send(.get, "/visits")
        #expect(answer.status == 503)
        #expect(answer.headers[.retryAfter] == "1")
        #expect(try answer.decoded(as: ProblemBody.self).code == "behind")

        let clock = TestClock()
        let transport = RouterTransport(client: router.client)
        var configuration = RemoteDispatcher.Configuration()
        configuration.clock = clock
        let remote = try RemoteDispatcher(api, at: "http://localhost", through: transport, configuration)
        let count = Task { try await remote.dispatch(CountVisits()) }
        // The time limit and the pause.
        await clock.waitForSleepers(2)
        try await projecting()
        clock.advance(by: .seconds(1))

        #expect(try await count.value == 2)
        #expect(transport.statuses == [503, 200])
    }

    @Test func aLiveQuerySendsTheRowsWhenTheProjectionHasAppliedAnEvent() async throws {
        try await projecting { projections in
            let events = try LiveValues(of: store).events(of: CountVisits(), after: nil) {
                let count = try await projections.read(visits) { try await $0.find(Total.only)?.count ?? 0 }
                return Data("\(count)".utf8)
            }
            var seen: [String] = []
            for try await event in events {
                guard let line = event?.text.split(separator: "\n").first(where: { $0.hasPrefix("data: ") }) else {
                    continue
                }
                seen.append(String(line.dropFirst(6)))
                if seen.last == "3" { break }
                try await visit()
            }
            #expect(seen == ["0", "1", "2", "3"])
        }
    }
}

private struct Visited: DurableDomainEvent {
    static let eventName = "visited"
}

private struct Total: ProjectionRow {
    static let only = "all"
    let id: String
    var count = 0
}

private let visits = Projection<Total>("visits", version: 1)
    .applying(Visited.self) { _, rows in
        try await rows.update(Total.only, orInsert: Total(id: Total.only)) { $0.count += 1 }
    }

private struct CountVisits: CQDQuery, Codable {
    typealias Value = Int
}

private final class CountVisitsHandler: HandlesQuery, Resolvable {
    private let projections: Projections

    init(scope: any DependencyResolutionScope) { projections = scope.resolve() }

    func handle(_ query: CountVisits) async throws -> Int {
        try await projections.read(visits, currentWithin: .zero) { try await $0.find(Total.only)?.count ?? 0 }
    }
}
#endif
