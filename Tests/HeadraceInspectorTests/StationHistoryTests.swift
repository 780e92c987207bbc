// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceInspector
import HeadraceStations
import HeadraceTesting
import Testing

@MainActor
@Suite(.timeLimit(.minutes(2))) struct StationHistoryTests {
    private let clock = TestClock()

    private func inspector(_ configure: (inout InspectorConfiguration) -> Void = { _ in }) -> Inspector {
        var configuration = InspectorConfiguration()
        configuration.redaction = .disabled
        configure(&configuration)
        return Inspector(configuration: configuration, clock: clock)
    }

    private func history(_ client: Client) async throws -> StationResponse {
        try #require(try await client.get("/api/stations").read([StationResponse].self).first)
    }

    @Test func eachActionIsAStepWithItsChanges() async throws {
        let inspector = inspector()
        let station = Station(initialState: Counter.State()) { Counter() }
        station.pour(.add(1))
        inspector.show(station, named: "Counter")
        let client = Client(InspectorRoutes(inspector))
        try await follow(client)

        station.pour(.add(2))
        station.pour(.add(3))
        try await steps(2, client)

        let history = try await history(client)
        #expect(history.name == "Counter")
        #expect(
            history.base == [
                StationResponse.Property(name: "count", value: "1"), .init(name: "label", value: "\"the first\""),
            ])
        #expect(history.steps.map { $0.changes.map(\.description) } == [["count: 1 → 3"], ["count: 3 → 6"]])
        #expect(history.steps.allSatisfy { $0.action?.contains("add") == true })
    }

    @Test func aListedStateAndItsActionsAreShown() async throws {
        for (redaction, value) in [(Redaction(showing: Counter.State.self), "3"), (.typesOnly, nil)] {
            let inspector = inspector { $0.redaction = redaction }
            let station = Station(initialState: Counter.State()) { Counter() }
            inspector.show(station, named: "Counter")
            let client = Client(InspectorRoutes(inspector))
            try await follow(client)

            station.pour(.add(3))
            try await steps(1, client)

            let step = try #require(try await history(client).steps.first)
            #expect(step.changes.map(\.new) == [value])
            #expect(step.changes.map(\.isHidden) == [value == nil])
            #expect(step.action == nil)
        }
    }

    @Test func theLinesOfListedActionsAreAJournalThatReplaysThem() async throws {
        for (redaction, isListed) in [(Redaction(showing: Counter.Action.self), true), (.disabled, false)] {
            let inspector = inspector { $0.redaction = redaction }
            let station = Station(initialState: Counter.State()) { Counter() }
            inspector.show(station, named: "Counter")
            let client = Client(InspectorRoutes(inspector))
            try await follow(client)
            station.pour(.add(3))
            station.pour(.rename("two\nlines"))
            try await steps(2, client)

            let lines = try await history(client).steps.compactMap(\.line)

            let text = lines.map { "\($0)\n" }.joined()
            let journal = try ActionJournal<Counter.Action>(jsonLines: Data(text.utf8))
            #expect(journal.actions == (isListed ? [.add(3), .rename("two\nlines")] : []))
        }
    }

    @Test func aRuleThatMasksAListedActionAlsoHidesItsLine() async throws {
        let inspector = inspector { configuration in
            configuration.redaction = Redaction(showing: Counter.Action.self)
            configuration.redaction.message = { message in
                if case .rename? = message as? Counter.Action { "rename(…)" } else { nil }
            }
        }
        let station = Station(initialState: Counter.State()) { Counter() }
        inspector.show(station, named: "Counter")
        let client = Client(InspectorRoutes(inspector))
        try await follow(client)

        station.pour(.add(3))
        station.pour(.rename("s3cret"))
        try await steps(2, client)

        let history = try await history(client)
        #expect(history.steps.map { $0.line != nil } == [true, false])
        #expect(history.steps.last?.action == "rename(…)")
        #expect(await !client.get("/api/stations").text.contains("s3cret"))
    }

    @Test func theHistoryOfAStationHasALimitThatDoesNotDependOnTheFlow() async throws {
        let inspector = inspector { configuration in
            configuration.redaction = Redaction(showing: Counter.Action.self)
            configuration.byteLimit = 64 << 20
        }
        let station = Station(initialState: Counter.State()) { Counter() }
        inspector.show(station, named: "Counter")
        let client = Client(InspectorRoutes(inspector))
        try await follow(client)

        for _ in 0..<3 { station.pour(.rename(String(repeating: "x", count: 2 << 20))) }
        try await wait(client) { $0.steps.last?.number == 3 }

        #expect(try await history(client).steps.map(\.number) == [3])
    }

    @Test func anActorStationIsFollowed() async throws {
        let inspector = inspector()
        let station = ActorStation(initialState: Counter.State()) { Counter() }
        inspector.show(station, named: "Counter")
        let client = Client(InspectorRoutes(inspector))
        try await follow(client)

        await station.pour(.add(2))
        try await steps(1, client)

        #expect(try await history(client).steps.map { $0.changes.map(\.description) } == [["count: 0 → 2"]])
    }

    @Test func theRunningSubscriptionsAreShown() async throws {
        let inspector = inspector()
        let station = Station<Counter.State, Counter.Action>(initialState: Counter.State()) {
            Counter()
            StateSubscriptions { state in
                if state.count > 0 { StateSubscription("clock", .timer(every: .seconds(3_600)) { .add(1) }) }
            }
        }
        inspector.show(station, named: "Counter")
        let client = Client(InspectorRoutes(inspector))
        try await follow(client)
        #expect(try await history(client).subscriptions == [])

        station.pour(.add(1))
        try await wait(client) { $0.subscriptions == ["clock"] }
        station.pour(.add(-1))
        try await wait(client) { $0.subscriptions == [] }
    }

    @Test func stepsBeyondTheLimitAreMergedIntoTheBase() async throws {
        let inspector = inspector { $0.historyLimit = 2 }
        let station = Station(initialState: Counter.State()) { Counter() }
        inspector.show(station, named: "Counter")
        let client = Client(InspectorRoutes(inspector))
        try await follow(client)

        for _ in 0..<5 { station.pour(.add(1)) }
        try await wait(client) { $0.steps.last?.number == 5 }

        let history = try await history(client)
        #expect(history.steps.map(\.number) == [4, 5])
        #expect(history.base.first == StationResponse.Property(name: "count", value: "3"))
    }

    @Test func valuesAreHiddenByDefault() async throws {
        let inspector = inspector { configuration in
            configuration.redaction = .typesOnly
            configuration.redaction.property = { station, property, value in
                station == "Counter" && property == "count" ? value : nil
            }
        }
        let station = Station(initialState: Counter.State()) { Counter() }
        inspector.show(station, named: "Counter")
        let client = Client(InspectorRoutes(inspector))
        try await follow(client)
        station.pour(.rename("s3cret"))
        try await steps(1, client)

        let response = await client.get("/api/stations")

        #expect(response.text.contains("s3cret") == false)
        #expect(response.text.contains("the first") == false)
        let history = try await history(client)
        #expect(
            history.base == [StationResponse.Property(name: "count", value: "0"), .init(name: "label", value: nil)])
        #expect(history.steps.first?.changes.map(\.property) == ["label"])
    }

    @Test func theNextActionAfterTheWindowEndsTheRecording() async throws {
        let inspector = inspector { configuration in
            configuration.window = .seconds(5)
            configuration.retention = .zero
        }
        let station = Station(initialState: Counter.State()) { Counter() }
        inspector.show(station, named: "Counter")
        let client = Client(InspectorRoutes(inspector))
        try await follow(client)

        clock.advance(by: .seconds(6))
        station.pour(.add(1))
        // The recording task runs when the main actor is free. A request before that would keep it running.
        while inspector.observer.isListening { await Task.yield() }
        // The recording can end just after a request. The next request then starts a new recording.
        try await wait(client) { $0.base.first?.value == "1" }

        let history = try await history(client)
        #expect(history.steps.isEmpty && !history.isGone)
    }

    @Test func theInspectorDoesNotKeepAStationAlive() async throws {
        let inspector = inspector()
        weak var weakStation: Station<Counter.State, Counter.Action>?
        let client = Client(InspectorRoutes(inspector))
        do {
            let station = Station(initialState: Counter.State()) { Counter() }
            weakStation = station
            inspector.show(station, named: "Counter")
            try await follow(client)
        }

        #expect(weakStation == nil)
        try await wait(client) { $0.isGone }
    }

    @Test func anActionIsInTheFlowOnlyWhileTheInspectorIsActive() async throws {
        let inspector = inspector { $0.retention = .zero }
        let station = Station(initialState: Counter.State(), observers: [inspector.observer]) { Counter() }
        let client = Client(InspectorRoutes(inspector))

        station.pour(.add(1))
        _ = await client.get("/api/overview")
        station.pour(.add(2))

        let flow: Flow = try await client.get("/api/messages").read()
        #expect(flow.entries.map(\.kind) == ["action"])
        #expect(flow.entries.first?.payload == #"{"add":{"_0":2}}"#)
        #expect(flow.entries.first?.outcome == "success")
    }

    // MARK: Waiting

    /// Sends requests until the recording has begun.
    private func follow(_ client: Client) async throws {
        try await wait(client) { !$0.base.isEmpty }
    }

    private func steps(_ count: Int, _ client: Client) async throws {
        try await wait(client) { $0.steps.count == count }
    }

    /// Sends requests until `isDone` is true.
    ///
    /// Each one yields the main actor to the recording task.
    private func wait(_ client: Client, until isDone: (StationResponse) -> Bool) async throws {
        while !isDone(try await history(client)) { await Task.yield() }
    }
}

struct StationResponse: Decodable {
    struct Property: Decodable, Equatable {
        let name: String
        let value: String?
    }

    struct Change: Decodable, CustomStringConvertible {
        let property: String
        let old: String?
        let new: String?
        let isHidden: Bool
        var description: String { "\(property): \(old ?? "hidden") → \(new ?? "hidden")" }
    }

    struct Step: Decodable {
        let number: Int
        let action: String?
        let line: String?
        let changes: [Change]
    }

    let name: String
    let isGone: Bool
    let base: [Property]
    let steps: [Step]
    let subscriptions: [String]
    let hasJournal: Bool
    let canRestore: Bool
}

struct Counter: Dripper {
    struct State: Codable, Equatable {
        var count = 0
        var label = "the first"
    }

    enum Action: Codable, Equatable {
        case add(Int)
        case rename(String)
        case restored(State)
    }

    var body: some Dripper<State, Action> {
        Drip { state, action in
            switch action {
            case .add(let amount): state.count += amount
            case .rename(let label): state.label = label
            case .restored(let earlier): state = earlier
            }
            return .none
        }
    }
}
