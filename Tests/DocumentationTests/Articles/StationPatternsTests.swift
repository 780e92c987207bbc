// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceStations
import HeadraceTesting
import Testing

private struct Game: Dripper {
    struct State: Equatable, Sendable {
        var score = 0
    }

    enum Action: Equatable, Sendable {
        case load
        case loaded(Int)

        static let toLoaded = Case(Action.loaded) { if case .loaded(let score) = $0 { score } else { nil } }
    }

    var body: some Dripper<State, Action> {
        Drip { state, action in
            switch action {
            case .load: return .run { pour in pour(.loaded(42)) }
            case .loaded(let score): state.score = score
            }
            return .none
        }
    }
}

private struct Player: Dripper {
    struct State: Equatable, Sendable {
        var volume = 0
        var saveCount = 0
    }

    enum Action: Equatable, Sendable {
        case volumeChanged(Int)
        case saved
    }

    var body: some Dripper<State, Action> {
        Drip<State, Action> { state, action in
            switch action {
            case .volumeChanged(let volume): state.volume = volume
            case .saved: state.saveCount += 1
            }
            return .none
        }
        .onChange(of: \.volume) { state, old, new in
            state.volume = min(new, 10)
            return .send(.saved)
        }
    }
}

private struct Counter: Dripper {
    struct State: Equatable {
        var count = 0
    }

    enum Action { case increase }

    var body: some Dripper<State, Action> {
        Drip { state, action in
            state.count += 1
            return .none
        }
    }
}

private struct Chat: Dripper {
    struct State: Equatable, Sendable {
        var isShown = false
        var room: String?
        var seconds = 0
        var messages: [String] = []
    }

    enum Action: Equatable, Sendable {
        case isShownChanged(Bool)
        case roomChanged(String?)
        case tick
        case received(String)
    }

    var body: some Dripper<State, Action> {
        Drip { state, action in
            switch action {
            case .isShownChanged(let isShown): state.isShown = isShown
            case .roomChanged(let room): state.room = room
            case .tick: state.seconds += 1
            case .received(let message): state.messages.append(message)
            }
            return .none
        }
        StateSubscriptions { state in
            if state.isShown { StateSubscription("clock", .timer(every: .seconds(1)) { .tick }) }
            if let room = state.room {
                StateSubscription(
                    room,
                    .run { pour in
                        for await message in messages(room) { pour(.received(message)) }
                    })
            }
        }
    }
}

private func messages(_ room: String) -> AsyncStream<String> {
    AsyncStream { continuation in
        continuation.yield("welcome to \(room)")
        continuation.finish()
    }
}

private struct Settings: Codable, Equatable, Sendable {
    var fontSize = 12
}

private struct Editor: Dripper {
    struct State: Equatable, Sendable {
        var settings = Settings()
    }

    enum Action: Equatable, Sendable {
        case fontSizeChanged(Int)
        case settingsChanged(Settings)

        static let toSettingsChanged = Case(Action.settingsChanged) {
            if case .settingsChanged(let settings) = $0 { settings } else { nil }
        }
    }

    let settings: SharedState<Settings>

    var body: some Dripper<State, Action> {
        Drip<State, Action> { state, action in
            switch action {
            case .fontSizeChanged(let size): state.settings.fontSize = size
            case .settingsChanged: break
            }
            return .none
        }
        .sharing(\.settings, with: settings, action: Action.toSettingsChanged)
    }
}

@Suite(.timeLimit(.minutes(2))) struct StationPatternsTests {
    @MainActor @Test func aCallerAwaitsTheResultOfAnAction() async throws {
        let station = Station(initialState: Game.State()) { Game() }

        let score = try await station.pour(.load, returning: Game.Action.toLoaded)

        #expect(score == 42)
    }

    @Test func aTestReadsTheResultOfAnAction() async throws {
        let station = TestStation(initialState: Game.State()) { Game() }

        let score = await station.pour(.load, returning: Game.Action.toLoaded)
        await station.receive(.loaded(42)) { $0.score = 42 }
        #expect(try await score.value == 42)
        await station.finish()
    }

    @Test func aReactionLimitsAValueAndSendsAnAction() async {
        let station = TestStation(initialState: Player.State()) { Player() }

        await station.pour(.volumeChanged(12)) { $0.volume = 10 }
        await station.receive(.saved) { $0.saveCount = 1 }
        await station.receive(.saved) { $0.saveCount = 2 }
        await station.finish()
    }

    @Test func aTimerRunsWhileTheStateDeclaresIt() async {
        let station = TestStation(initialState: Chat.State()) { Chat() }

        await station.pour(.isShownChanged(true)) { $0.isShown = true }
        await station.expectSubscriptions("clock")
        await station.advance(by: .seconds(1))
        await station.receive(.tick) { $0.seconds = 1 }
        await station.pour(.isShownChanged(false)) { $0.isShown = false }
        await station.expectSubscriptions()
        await station.finish()
    }

    @Test func anotherRoomIsAnotherSubscription() async {
        let station = TestStation(initialState: Chat.State(room: "a")) { Chat() }

        await station.receive(.received("welcome to a")) { $0.messages = ["welcome to a"] }
        await station.pour(.roomChanged("b")) { $0.room = "b" }
        await station.receive(.received("welcome to b")) { $0.messages = ["welcome to a", "welcome to b"] }
        await station.finish()
    }

    @MainActor @Test func aStoreKeepsTheSettings() async throws {
        let store = try InMemoryStore(entities: [StoredSharedState.self])

        let settings = try await SharedState(in: SharedDocument("settings", of: store), default: Settings())
        let station = Station(initialState: Editor.State(settings: settings.value)) { Editor(settings: settings) }
        try await station.pour(.fontSizeChanged(14)).finish()

        let again = try await SharedState(in: SharedDocument("settings", of: store), default: Settings())
        #expect(again.value.fontSize == 14)
    }

    @Test func twoStationsShareTheirSettings() async {
        let settings = SharedState(Settings())
        let one = TestStation(initialState: Editor.State()) { Editor(settings: settings) }
        let two = TestStation(initialState: Editor.State()) { Editor(settings: settings) }

        await one.pour(.fontSizeChanged(14)) { $0.settings.fontSize = 14 }
        await two.receive(.settingsChanged(Settings(fontSize: 14))) { $0.settings.fontSize = 14 }

        await one.finish()
        await two.finish()
    }

    @MainActor @Test func aPrinterPrintsEachAction() {
        let station = Station(initialState: Counter.State(), observers: [ActionPrinter()]) { Counter() }
        station.pour(.increase)
        // increase
        //   count: 0 → 1

        #expect(station.count == 1)
    }
}
