// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceInspector
import HeadraceStations
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

@MainActor @Suite(.timeLimit(.minutes(2))) struct JournalImportTests {
    private struct JournalResponse: Decodable {
        let journal: String
    }

    private struct Body: Encodable {
        var station = "Counter"
        var journal: String
        var position: Int?
    }

    private struct Refusal: Decodable {
        let error: String
    }

    private let store: InMemoryStore
    private let inspector: Inspector

    init() throws {
        var configuration = InspectorConfiguration(showing: Counter.State.self, Counter.Action.self)
        configuration.historyLimit = 5
        inspector = Inspector(configuration: configuration, clock: TestClock())
        store = try InMemoryStore(entities: [])
        inspector.show(store)
    }

    private func client(allowsWrites: Bool = true, limit: Int = 10_000) -> Client {
        var limits = InspectorRoutes.Limits()
        limits.journalCount = limit
        return Client(InspectorRoutes(inspector, allowsWrites: allowsWrites, limits: limits))
    }

    private func history(_ client: Client) async throws -> StationResponse {
        let stations: [StationResponse] = try await client.get("/api/stations").read()
        return try #require(stations.first { $0.name == "Counter" })
    }

    private func wait(_ client: Client, until isDone: (StationResponse) -> Bool) async throws {
        while !isDone(try await history(client)) { await Task.yield() }
    }

    private func post(_ client: Client, _ path: String, _ body: Body) async throws -> ClientResponse {
        await client.post("/api/stations/\(path)", String(decoding: try JSONEncoder().encode(body), as: UTF8.self))
    }

    /// Records `count` actions of a station that has the count 10 before, and returns the journal.
    private func journal(_ client: Client, actions count: Int = 3) async throws -> String {
        let station = Station(initialState: Counter.State(count: 10)) { Counter() }
        inspector.show(station, named: "Counter")
        try await wait(client) { !$0.base.isEmpty }
        for number in 1...count {
            station.pour(.add(number))
            try await wait(client) { $0.steps.last?.number == number }
        }
        return try await client.get("/api/stations/journal?station=Counter").read(JournalResponse.self).journal
    }

    @Test func anImportedJournalIsReplayedOnACopyWithoutEffects() async throws {
        let client = client(allowsWrites: false)
        let journal = try await journal(client)
        let effects = Mutex(0)
        let live = ActorStation<Counter.State, Counter.Action>(initialState: Counter.State(count: 99)) {
            Counter()
            Drip { _, _ in .run { _ in effects.withLock { $0 += 1 } } }
        }
        inspector.show(live, named: "Counter")

        let response = try await post(client, "replay", Body(journal: journal))

        let view: StationResponse = try response.read()
        #expect(view.base.map(\.value) == ["10", "\"the first\""])
        #expect(
            view.steps.map { $0.changes.map(\.description) } == [
                ["count: 10 → 11"], ["count: 11 → 13"], ["count: 13 → 16"],
            ])
        #expect(await live.state == Counter.State(count: 99))
        #expect(effects.withLock { $0 } == 0)
    }

    @Test func removedActionsOfMoreThanTheByteLimitAreFolded() async throws {
        let client = client()
        let station = Station(initialState: Counter.State()) { Counter() }
        inspector.show(station, named: "Counter")
        try await wait(client) { !$0.base.isEmpty }

        for number in 1...40 {
            station.pour(.rename(String(repeating: "x", count: 300_000) + "\(number)"))
            try await wait(client) { $0.steps.last?.number == number }
        }

        let journal = try await client.get("/api/stations/journal?station=Counter").read(JournalResponse.self).journal
        // The limit, the shown actions, and the state.
        #expect(journal.utf8.count < 4 << 20 + 6 * 300_100)
        #expect(journal.contains(#"x40"}}"#))
    }

    @Test func aDownloadedJournalHasTheActionsBeforeTheShownOnes() async throws {
        let client = client()

        let journal = try await journal(client, actions: 1_203)

        #expect(try await history(client).steps.count == 5)
        let lines = journal.split(separator: "\n")
        // 500 and more removed actions are folded into the state.
        #expect(lines.count < 510)
        let actions = try ActionJournal<Counter.Action>(jsonLines: Data(journal.utf8)).actions
        #expect(actions.count == lines.count - 2 && actions.last == .add(1_203))
        let station = Station(initialState: Counter.State()) { Counter() }
        inspector.show(station, named: "Counter")
        let view: StationResponse = try await post(client, "replay", Body(journal: journal)).read()
        #expect(view.steps.last?.changes.first?.new == "\(10 + 1_203 * 1_204 / 2)")
    }

    @Test func onlyTheSecondStepSetsTheStationToAStateAndItIsRecorded() async throws {
        let client = client()
        let journal = try await journal(client)
        let station = Station(initialState: Counter.State(count: 99)) { Counter() }
        inspector.show(station, named: "Counter", restoring: { .restored($0) })

        _ = try await post(client, "replay", Body(journal: journal))
        #expect(station.state.count == 99)
        let response = try await post(client, "restore", Body(journal: journal, position: 2))

        #expect(response.status == 200)
        #expect(station.state == Counter.State(count: 13))
        let events = try await store.events(after: 0, limit: 10)
        #expect(events.map { $0.event.name } == ["headrace.operation"])
        let other = ActorStation(initialState: Counter.State()) { Counter() }
        inspector.show(other, named: "Counter", restoring: { .restored($0) })
        #expect(try await post(client, "restore", Body(journal: journal, position: 0)).status == 200)
        #expect(await other.state.count == 10)
    }

    @Test func aStationIsSetOnlyIfItAndTheInspectorAllowIt() async throws {
        let client = client()
        let journal = try await journal(client)
        let live = Station(initialState: Counter.State()) { Counter() }
        inspector.show(live, named: "Counter")

        let refused = try await post(client, "restore", Body(journal: journal, position: 1))
        #expect(refused.status == 409)
        #expect(try refused.read(Refusal.self).error.contains("restoring"))
        inspector.show(live, named: "Counter", restoring: { .restored($0) })
        let reader = self.client(allowsWrites: false)
        #expect(try await post(reader, "restore", Body(journal: journal, position: 1)).status == 403)
        for position in [-1, 4] {
            #expect(try await post(client, "restore", Body(journal: journal, position: position)).status == 400)
        }
        #expect(try await post(client, "restore", Body(journal: journal)).status == 400)
        #expect(live.state == Counter.State())
    }

    @Test func aJournalThatDoesNotFitIsRefusedWithItsCauseAndAFix() async throws {
        let client = client(limit: 3)
        let journal = try await journal(client)
        let live = Station(initialState: Counter.State()) { Counter() }
        inspector.show(live, named: "Counter")
        let lines = journal.split(separator: "\n").map(String.init)
        let header = try #require(lines.first)
        let state = try #require(lines.dropFirst().first)
        let cases: [(journal: String, status: Int, words: String)] = [
            ("", 422, "no header"),
            ("garbage\u{0}", 422, "no header"),
            (lines.dropFirst(2).joined(separator: "\n"), 422, "no header"),
            (header, 422, "no header"),
            (header.replacing("\"version\":1", with: "\"version\":2"), 422, "version 2"),
            (journal.replacing("Counter.Action", with: "Other.Action"), 422, "Other.Action"),
            ([header, state, "{\"add\":{\"_0\":1}}", "{\"subtract\":{}}"].joined(separator: "\n"), 422, "Line 4"),
            ([header, "{}"].joined(separator: "\n"), 422, "Line 2"),
            (journal + "{\"add\":{\"_0\":1}}\n", 413, "more than 3 actions"),
        ]

        for (journal, status, words) in cases {
            let response = try await post(client, "replay", Body(journal: journal))
            #expect(response.status == status, "\(journal)")
            let error = try response.read(Refusal.self).error
            #expect(error.contains(words) && error.contains("To fix"), "\(error)")
        }
        #expect(try await post(client, "replay", Body(station: "None", journal: journal)).status == 404)
        #expect(await client.post("/api/stations/replay", "{}").status == 400)
        #expect(await client.post("/api/stations/replay", "{}", type: "text/plain").status == 415)
    }

    @Test func aStationWithTypesThatAreNotCodableRefusesJournals() async throws {
        struct Plain: Dripper {
            struct State { var count = 0 }
            enum Action { case add }
            var body: some Dripper<State, Action> {
                Drip { state, _ in
                    state.count += 1; return .none
                }
            }
        }
        let station = Station(initialState: Plain.State()) { Plain() }
        inspector.show(station, named: "Plain")
        let client = client()
        #expect(await client.get("/api/stations/journal?station=Plain").status == 409)
        let names =
            "\"action\":\"\(String(naming: Plain.Action.self))\",\"state\":\"\(String(naming: Plain.State.self))\""
        let journal = "{\(names),\"form\":\"headrace.station.journal\",\"version\":1}\n{}\n"

        let response = try await post(client, "replay", Body(station: "Plain", journal: journal))

        #expect(response.status == 422)
        #expect(try response.read(Refusal.self).error.contains("'Codable'"))
    }

    @Test func aHiddenStateHasNoJournal() async throws {
        for redaction in [Redaction.typesOnly, .disabled, Redaction(showing: Counter.Action.self)] {
            #expect(try await !hasJournal(redaction))
        }
    }

    /// The journal would have the value, because it has the state as JSON.
    @Test func aStateHasNoJournalIfARuleMasksAProperty() async throws {
        var redaction = Redaction(showing: Counter.State.self, Counter.Action.self)
        #expect(try await hasJournal(redaction))

        redaction.property = { _, _, _ in "…" }
        #expect(try await !hasJournal(redaction))

        // The state has this value only after the action.
        redaction.property = { _, _, value in value == "1" ? "…" : nil }
        #expect(try await !hasJournal(redaction))
    }

    @Test func aStateHasAJournalIfTheRulesShowAll() async throws {
        var redaction = Redaction.disabled
        redaction.show(Counter.State.self, Counter.Action.self)

        #expect(try await hasJournal(redaction))
    }

    /// Whether a station with one action has a journal under `redaction`.
    private func hasJournal(_ redaction: Redaction) async throws -> Bool {
        var configuration = InspectorConfiguration()
        configuration.redaction = redaction
        let inspector = Inspector(configuration: configuration, clock: TestClock())
        let station = Station(initialState: Counter.State()) { Counter() }
        inspector.show(station, named: "Counter")
        let client = Client(InspectorRoutes(inspector))
        try await wait(client) { !$0.base.isEmpty }
        station.pour(.add(1))
        try await wait(client) { !$0.steps.isEmpty }

        let isOffered = try await history(client).hasJournal
        let status = await client.get("/api/stations/journal?station=Counter").status
        #expect(status == (isOffered ? 200 : 409))
        return isOffered
    }
}
