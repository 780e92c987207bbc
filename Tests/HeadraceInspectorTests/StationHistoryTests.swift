//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceInspector
import HeadraceStations
import HeadraceTesting
import Testing

@MainActor
@Suite(.timeLimit(.minutes(2))) struct StationHistoryTests {
    private let clock = TestClock()

    private func inspector(_ configure: (inout Inspector.Configuration) -> Void = { _ in }) -> Inspector {
        var configuration = Inspector.Configuration()
        configuration.redaction = .nothing
        configure(&configuration)
        return Inspector(configuration: configuration, clock: clock)
    }

    private func picture(_ client: Client) async throws -> Picture {
        try #require(try await client.get("/api/stations").read([Picture].self).first)
    }

    @Test func eachActionIsAStepFromTheStateBeforeToTheStateAfter() async throws {
        let inspector = inspector()
        let station = Station(initialState: Counter.State()) { Counter() }
        station.pour(.add(1))
        inspector.show(station, named: "Counter")
        let client = Client(InspectorRoutes(inspector))
        try await follow(client)

        station.pour(.add(2))
        station.pour(.add(3))
        try await steps(2, client)

        let picture = try await picture(client)
        #expect(picture.name == "Counter")
        #expect(
            picture.base == [Picture.Property(name: "count", value: "1"), .init(name: "label", value: "\"the first\"")])
        #expect(picture.steps.map { $0.changes.map(\.description) } == [["count: 1 → 3"], ["count: 3 → 6"]])
        #expect(picture.steps.allSatisfy { $0.action?.contains("add") == true })
    }

    @Test func anActorsStationIsFollowedToo() async throws {
        let inspector = inspector()
        let station = ActorStation(initialState: Counter.State()) { Counter() }
        inspector.show(station, named: "Counter")
        let client = Client(InspectorRoutes(inspector))
        try await follow(client)

        await station.pour(.add(2))
        try await steps(1, client)

        #expect(try await picture(client).steps.map { $0.changes.map(\.description) } == [["count: 0 → 2"]])
    }

    @Test func stepsThatDoNotFitBecomeTheBase() async throws {
        let inspector = inspector { $0.historyLimit = 2 }
        let station = Station(initialState: Counter.State()) { Counter() }
        inspector.show(station, named: "Counter")
        let client = Client(InspectorRoutes(inspector))
        try await follow(client)

        for _ in 0..<5 { station.pour(.add(1)) }
        try await wait(client) { $0.steps.last?.number == 5 }

        let picture = try await picture(client)
        #expect(picture.steps.map(\.number) == [4, 5])
        #expect(picture.base.first == Picture.Property(name: "count", value: "3"))
    }

    @Test func valuesAreHiddenUnlessARuleShowsThem() async throws {
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

        let answer = await client.get("/api/stations")

        #expect(answer.text.contains("s3cret") == false)
        #expect(answer.text.contains("the first") == false)
        let picture = try await picture(client)
        #expect(picture.base == [Picture.Property(name: "count", value: "0"), .init(name: "label", value: nil)])
        #expect(picture.steps.first?.changes.map(\.property) == ["label"])
    }

    @Test func afterTheWindowTheNextActionEndsTheFollowing() async throws {
        let inspector = inspector { $0.window = .seconds(5) }
        let station = Station(initialState: Counter.State()) { Counter() }
        inspector.show(station, named: "Counter")
        let client = Client(InspectorRoutes(inspector))
        try await follow(client)

        clock.advance(by: .seconds(6))
        station.pour(.add(1))
        // What the feed holds is taken in the next turn of the main actor; a look before would wake it.
        while inspector.observer.isListening { await Task.yield() }
        // The follower may be about to end when the look comes; the next one finds it ended.
        try await wait(client) { $0.base.first?.value == "1" }

        let picture = try await picture(client)
        #expect(picture.steps.isEmpty && !picture.isGone)
    }

    @Test func aStationIsNotKeptAlive() async throws {
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

    @Test func anActionIsInTheFlowWhileSomebodyLooksAndNotElse() async throws {
        let inspector = inspector()
        let station = Station(initialState: Counter.State(), observers: [inspector.observer]) { Counter() }
        let client = Client(InspectorRoutes(inspector))

        station.pour(.add(1))
        _ = await client.get("/api/overview")
        station.pour(.add(2))

        let flow: Flow = try await client.get("/api/messages").read()
        #expect(flow.entries.map(\.kind) == ["action"])
        #expect(flow.entries.first?.payload?.hasSuffix("add(2)") == true)
        #expect(flow.entries.first?.outcome == "success")
    }

    // MARK: Waiting

    /// Looks until the station is followed, from its state on.
    private func follow(_ client: Client) async throws {
        try await wait(client) { !$0.base.isEmpty }
    }

    private func steps(_ count: Int, _ client: Client) async throws {
        try await wait(client) { $0.steps.count == count }
    }

    /// The follower runs on the main actor, as the test does: each look lets it go on.
    private func wait(_ client: Client, until isDone: (Picture) -> Bool) async throws {
        while !isDone(try await picture(client)) { await Task.yield() }
    }
}

private struct Picture: Decodable {
    struct Property: Decodable, Equatable {
        let name: String
        let value: String?
    }

    struct Change: Decodable, CustomStringConvertible {
        let property: String
        let old: String?
        let new: String?
        var description: String { "\(property): \(old ?? "hidden") → \(new ?? "hidden")" }
    }

    struct Step: Decodable {
        let number: Int
        let action: String?
        let changes: [Change]
    }

    let name: String
    let isGone: Bool
    let base: [Property]
    let steps: [Step]
}

private struct Counter: Dripper {
    struct State {
        var count = 0
        var label = "the first"
    }

    enum Action: Sendable {
        case add(Int)
        case rename(String)
    }

    var body: some Dripper<State, Action> {
        Drip { state, action in
            switch action {
            case .add(let amount): state.count += amount
            case .rename(let label): state.label = label
            }
            return .none
        }
    }
}
