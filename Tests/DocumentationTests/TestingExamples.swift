// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceResolution
import HeadraceServices
import HeadraceStations
import HeadraceStorage
import HeadraceTesting
import Testing

// MARK: - Commands

private struct AddSomethingCommand: CQDCommand, Equatable {
    var name: String
}

private struct GetInfoQuery: CQDQuery, Equatable {
    typealias Value = Info
    var subject: String
}

private struct Info {
    let subject: String
}

private struct Offline: Error {}

@Suite struct RecordingDispatcherExamples {
    private struct ExampleModel {
        let dispatcher: any CommandQueryDispatcher

        func refresh() async {
            _ = try? await dispatcher.dispatch(GetInfoQuery(subject: "Programming"))
            try? await dispatcher.dispatch(AddSomethingCommand(name: "one"))
        }
    }

    @Test func aModelIsTestedWithoutHandlers() async throws {
        let dispatcher = RecordingDispatcher()
        dispatcher.stub(GetInfoQuery.self) { query in Info(subject: query.subject) }
        dispatcher.stub(AddSomethingCommand.self) { _ in throw Offline() }

        await ExampleModel(dispatcher: dispatcher).refresh()

        #expect(dispatcher.dispatched(GetInfoQuery.self).map(\.subject) == ["Programming"])
        try dispatcher.requireDispatched(GetInfoQuery.self, AddSomethingCommand.self)
        try dispatcher.requireDispatched(GetInfoQuery(subject: "Programming"), AddSomethingCommand(name: "one"))
    }
}

// MARK: - Resolution

private protocol Api: Sendable {
    func get() async throws -> String
}

private struct NetworkApi: Api {
    func get() async throws -> String { throw Offline() }
}

private struct FakeApi: Api {
    func get() async throws -> String { "fake" }
}

private struct ExampleModel {
    let api: any Api

    func refresh() async throws -> String { try await api.get() }
}

@Suite struct WithDependenciesExamples {
    @Test func aTestReplacesADependency() async throws {
        let builder = ContainerBuilder()
        builder.singleton((any Api).self) { NetworkApi() }
        builder.transient { ExampleModel(api: $0.resolve()) }
        let appContainer = builder.build()

        let answer =
            try await appContainer.withDependencies { builder in
                builder.singleton((any Api).self) { FakeApi() }
            } operation: { container in
                try await container.resolve(ExampleModel.self).refresh()
            }

        #expect(answer == "fake")
    }
}

// MARK: - The domain

private final class Customer: StoredEntity {
    static let entityName = "customer"

    let id: String
    let name: String
    var raisedEvents = RaisedEvents()

    init(id: String, name: String) {
        self.id = id
        self.name = name
    }

    func placeOrder(_ orderId: String) {
        raiseEvent(OrderPlaced(customerId: id, orderId: orderId))
    }
}

private struct OrderPlaced: DurableDomainEvent {
    static let eventName = "order-placed"
    var customerId: String
    var orderId: String
}

@Suite struct DomainTestingExamples {
    @Test func aDelegatorRecordsTheEvents() async throws {
        let context = EntityContext(try InMemoryStore(entities: [Customer.self]))
        let customer = Customer(id: "7", name: "Ada")
        customer.placeOrder("42")

        let delegator = RecordingDelegator()
        try await UnitOfWork(delegator: delegator, context: context).execute { $0.insert(customer) }
        #expect(delegator.eventsAfterCommit.count == 1)
    }

    @Test func everyVersionOfACustomerDecodes() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
        try GoldenFiles.check(Customer.self, in: folder)  // customer.1.json, customer.2.json, …
        try GoldenFiles.check(OrderPlaced.self, in: folder)  // order-placed.1.json, …
    }
}

// MARK: - Services

private enum StartUpAction: Action { case appDidCompleteLaunching }
private enum ArticlesAction: Action { case reload }

private struct Increment: Action {}

private struct CounterModel {
    var count = 0
}

private struct CounterService: Service {
    var body: some Service {
        Store(model: CounterModel.self)
            .mutate(on: Increment.self) { model, action, send in model.count += 1 }
    }
}

private struct IdentityModel {
    var isReady = false
}

private struct IdentityService: Service {
    var body: some Service {
        Store(model: IdentityModel.self)
            .mutate(on: StartUpAction.self) { model, action, send in
                model.isReady = true
                try await send(action: ArticlesAction.reload)
            }
    }
}

@Suite struct ServiceTestingExamples {
    @Test func aProbeRecordsTheModel() async throws {
        let probe = ModelProbe<CounterModel>()
        let cluster = try await Bootstrap {
            CounterService()
                .with(model: CounterModel(), probe: probe)
        }
        try await cluster.send(action: Increment())
        #expect(probe.current?.count == 1)
    }

    @Test func sentActionsOfAServiceAreRecorded() async throws {
        let mockedIdentityModel = IdentityModel()

        let recordingSend = RecordingSend()
        let cluster = try await Bootstrap {
            IdentityService()
                .with(model: mockedIdentityModel)
                .environment(\.send, recordingSend)
        }
        try await cluster.send(action: StartUpAction.appDidCompleteLaunching)
        #expect(recordingSend.actions(of: ArticlesAction.self) == [.reload])
    }
}

// MARK: - Stations

private struct Counter: Dripper {
    struct State {
        var count = 0
    }

    enum Action: Equatable { case increase, load, loaded(Int) }

    var body: some Dripper<State, Action> {
        Drip { state, action in
            switch action {
            case .increase:
                state.count += 1
                return .none
            case .load:
                return .run { pour in
                    try await pour.clock.sleep(until: pour.clock.now.advanced(by: .seconds(1)), tolerance: nil)
                    pour(.loaded(5))
                }
            case .loaded(let count):
                state.count = count
                return .none
            }
        }
    }
}

private struct Search: Dripper {
    struct State {
        var text = ""
        var results: [String] = []
    }

    enum Action: Equatable { case typed(String), found([String]) }

    var body: some Dripper<State, Action> {
        Drip { state, action in
            switch action {
            case .typed(let text):
                state.text = text
                return .concatenate(
                    .sleep(for: .milliseconds(300)),
                    .run { pour in pour(.found([text + "pot"])) }
                )
                .cancellable(id: "search", cancelInFlight: true)
            case .found(let results):
                state.results = results
                return .none
            }
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct StationTestingExamples {
    @Test func aTestAssertsTheChangesOfEachAction() async {
        let station = TestStation(initialState: Counter.State()) { Counter() }

        await station.pour(.increase) { $0.count = 1 }
        await station.pour(.load)
        await station.advance(by: .seconds(1))
        await station.receive(.loaded(5)) { $0.count = 5 }
        await station.finish()
    }

    @Test func aScenarioHoldsUnderEverySchedule() async {
        await exploreSchedules(seeds: 0..<200) { seed in
            let station = TestStation(initialState: Search.State()) { Search() }
            await station.pour(.typed("t")) { $0.text = "t" }
            await station.pour(.typed("tea")) { $0.text = "tea" }
            await station.advance(by: .milliseconds(300))
            await station.receive(.found(["teapot"])) { $0.results = ["teapot"] }
            await station.finish()
        }
    }
}

// MARK: - Time

@Suite(.timeLimit(.minutes(2))) struct ClockExamples {
    private struct Busy: RetryableError {
        let isRetryable = true
    }

    @Test func timeAdvancesOnlyByTheTest() async throws {
        let attempts = Notes()
        let command = "command"
        @Sendable func dispatch(_ command: String, retryingOn clock: TestClock) async throws -> String {
            let backoff = Backoff(base: .seconds(2), jitter: 0)
            let chain = MiddlewareChain(middleware: [RetryMiddleware(backoff: backoff, clock: clock)], clock: clock)
            return try await chain.run(command, kind: .command) { command in
                attempts.note(command)
                if attempts.all.count == 1 { throw Busy() }
                return "done"
            }
        }

        let clock = TestClock()
        async let answer = dispatch(command, retryingOn: clock)

        await clock.waitForSleepers(1)  // returns when the code sleeps
        clock.advance(by: .seconds(2))  // wakes it
        #expect(try await answer == "done")
        #expect(attempts.all == ["command", "command"])
    }
}
