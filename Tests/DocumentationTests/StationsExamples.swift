// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStations
import HeadraceTesting
import Observation
import Testing

private struct Counter: Dripper {
    @Observable final class State {
        var count = 0
    }

    enum Action { case increase, decrease }

    var body: some Dripper<State, Action> {
        Drip { state, action in
            switch action {
            case .increase: state.count += 1
            case .decrease: state.count -= 1
            }
            return .none
        }
    }
}

extension Counter.Action: Codable {}

// MARK: - Stations

@MainActor
@Suite(.timeLimit(.minutes(2))) struct StationExamples {
    struct Loading {
        struct Counter: Dripper {
            @Observable final class State {
                var count = 0
            }

            enum Action { case increase, load, loaded(Int) }

            var body: some Dripper<State, Action> {
                Drip { state, action in
                    switch action {
                    case .increase:
                        state.count += 1
                        return .none
                    case .load:
                        return .run { pour in pour(.loaded(try await fetchCount())) }
                    case .loaded(let count):
                        state.count = count
                        return .none
                    }
                }
            }
        }

        @MainActor func example() async throws {
            let station = Station(initialState: Counter.State()) { Counter() }
            station.pour(.increase)
            print(station.count)
            try await station.pour(.load).finish()
            print(station.count)
        }
    }

    @Test func finishWaitsForTheValueThatAnEffectLoads() async throws {
        #expect(try await printed { try await Loading().example() } == ["1", "42"])
    }

    @Test func pourChangesTheStateBeforeItReturns() async throws {
        let lines = try await printed {
            let station = Station(initialState: Counter.State()) {
                Counter()
            }
            station.pour(.increase)
            print(station.count)
        }

        #expect(lines == ["1"])
    }

    @Test func theStateOfAnActorStationIsRead() async throws {
        let lines = try await printed {
            let station = ActorStation(initialState: Counter.State()) { Counter() }
            await station.pour(.increase)
            print(await station.count)
        }

        #expect(lines == ["1"])
    }

    @Test func observersReceiveStates() async {
        let station = Station(initialState: 0) {
            Drip<Int, Int> { state, action in
                state = action
                return .none
            }
        }
        let (rendered, screen) = AsyncStream<Int>.makeStream()
        func render(_ state: Int) { screen.yield(state) }
        let listening = Task {
            for await state in station.states { render(state) }
        }
        var states = rendered.makeAsyncIterator()

        #expect(await states.next() == 0)
        station.pour(7)
        #expect(await states.next() == 7)
        listening.cancel()
    }

    @Test func eachReductionReportsItsChanges() async {
        let station = Station(initialState: Counter.State()) { Counter() }
        let (lines, page) = AsyncStream<String>.makeStream()
        func print(_ reduction: some CustomStringConvertible) { page.yield(reduction.description) }
        let isListening = Gate()
        let listening = Task {
            isListening.open()
            for await reduction in station.changes { print(reduction) }
        }
        // Both tasks are on the main actor, so the gate opens after the listener has begun to wait.
        await isListening.pass()
        var iterator = lines.makeAsyncIterator()

        station.pour(.increase)

        let line = await iterator.next()
        #expect(line?.hasPrefix("increase\n") == true)
        #expect(line?.contains("count") == true)
        listening.cancel()
    }

    @Test func aRecordingIsEncodedAndDecoded() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "headrace-\(UUID().uuidString).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }
        let station = Station(initialState: Counter.State()) { Counter() }

        let recording = station.record()
        station.pour(.increase)
        try recording.journal.jsonLines().write(to: file)

        #expect(try ActionJournal<Counter.Action>(jsonLines: Data(contentsOf: file)) == ActionJournal([.increase]))
    }

    @Test func aJournalIsReplayedForwardAndBackward() async throws {
        let journal = ActionJournal<Counter.Action>([.increase, .increase])

        let lines = try await printed {
            let replay = ActionReplay(journal, initialState: Counter.State()) { Counter() }
            replay.go(to: replay.count)
            replay.stepBack()
            print(replay.state.count)
        }
        #expect(lines == ["1"])
    }
}

private func fetchCount() async throws -> Int { 42 }

// MARK: - Drippers

private struct Ticks: Dripper {
    struct State {
        var count = 0
    }

    enum Action { case tick }

    var body: some Dripper<State, Action> {
        Drip { state, action in
            state.count += 1
            return .none
        }
    }
}

private struct Parent: Dripper {
    @Observable final class State {
        var counter = Counter.State()
    }

    enum Action {
        case counter(Counter.Action)

        static let toCounter = Case(Action.counter) { if case .counter(let action) = $0 { action } else { nil } }
    }

    var body: some Dripper<State, Action> {
        Scope(state: \.counter, action: Action.toCounter) { Counter() }
    }
}

private enum Row {
    struct State: Identifiable {
        let id: Int
        var title = ""
    }
}

@MainActor
@Suite struct DripperExamples {
    @Test func aClosureChangesTheState() {
        let station = Station(initialState: Ticks.State()) { Ticks() }

        station.pour(.tick)

        #expect(station.count == 1)
    }

    @Test func aParentReceivesTheActionsOfItsChild() {
        let station = Station(initialState: Parent.State()) { Parent() }

        station.pour(.counter(.increase))

        #expect(station.counter.count == 1)
    }

    @Test func aCaseEmbedsAndExtractsAnAction() {
        enum Action {
            case counter(Counter.Action)
        }

        let counter = Case(Action.counter) { if case .counter(let action) = $0 { action } else { nil } }

        // `Scope` uses the case to pass the actions of a child to it.
        let station = Station(initialState: Parent.State()) {
            Scope(state: \.counter, action: counter) { Counter() }
        }
        station.pour(.counter(.decrease))
        #expect(station.counter.count == -1)
    }

    @Test func aChildIsFoundByItsId() {
        struct State {
            var rows: Children<Row.State> = []
        }
        var state = State()

        state.rows.append(Row.State(id: 7))
        state.rows[id: 7]?.title = "seven"

        #expect(state.rows.map(\.title) == ["seven"])
    }
}

// MARK: - Effects

private struct Client: Sendable {
    func score() async throws -> Int { 42 }
}

private func fetchScore() async throws -> Int { 42 }

private struct Game: Dripper {
    struct State: Equatable, Sendable {
        var score = 0
        var place = ""
        var pages: [Int: String] = [:]
    }

    enum Action: Sendable {
        case load, loaded(Int)
        case loadByClient, scoreLoaded(Result<Int, any Error>)
        case follow, moved(to: String)
        case loadPages, pageLoaded(Int, String)
    }

    var body: some Dripper<State, Action> {
        let client = Client()
        Drip { state, action in
            switch action {
            case .load:
                return .run { pour in
                    let score = try await fetchScore()
                    pour(.loaded(score))
                }
            case .loadByClient:
                return .outcome(of: { try await client.score() }) { .scoreLoaded($0) }
            case .follow:
                return follow(
                    AsyncStream {
                        $0.yield("Oslo"); $0.yield("Rome"); $0.finish()
                    })
            case .loadPages:
                return loadAll([1, 2, 3])
            case .loaded(let score), .scoreLoaded(.success(let score)):
                state.score = score
            case .scoreLoaded(.failure):
                state.score = 0
            case .moved(let place):
                state.place = place
            case .pageLoaded(let page, let text):
                state.pages[page] = text
            }
            return .none
        }
    }

    private func follow(_ locations: AsyncStream<String>) -> Effect<Action> {
        .run { pour in
            for await location in locations { pour(.moved(to: location)) }
        }
    }

    private func loadAll(_ pages: [Int]) -> Effect<Action> {
        .run { pour in
            let pour = pour.remote()
            await withTaskGroup { group in
                for page in pages { group.addTask { await pour(.pageLoaded(page, await load(page))) } }
            }
        }
    }
}

@concurrent private func load(_ page: Int) async -> String { "page \(page)" }

@Suite(.timeLimit(.minutes(2))) struct EffectExamples {
    private let station = ActorStation(initialState: Game.State()) { Game() }

    @Test func aFetchedValueReturnsAsAnAction() async throws {
        try await station.pour(.load).finish()

        #expect(await station.score == 42)
    }

    @Test func anOutcomeReturnsAsAnAction() async throws {
        try await station.pour(.loadByClient).finish()

        #expect(await station.score == 42)
    }

    @Test func eachElementOfASequenceReturnsAsAnAction() async throws {
        try await station.pour(.follow).finish()

        #expect(await station.place == "Rome")
    }

    @Test func valuesOfOtherTasksReturnAsActions() async throws {
        try await station.pour(.loadPages).finish()

        #expect(await station.pages == [1: "page 1", 2: "page 2", 3: "page 3"])
    }
}
