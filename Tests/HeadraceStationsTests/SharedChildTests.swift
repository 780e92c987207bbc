// SPDX-License-Identifier: Apache-2.0

import HeadraceStations
import HeadraceTesting
import Testing

/// A detail with shared settings, whose sizes are at most 100.
private struct Detail: Dripper {
    struct State: Equatable, Sendable {
        var id = 1
        var settings = Settings()
    }

    enum Action: Equatable, Sendable {
        case resize(Int)
        case resizeAndClose(Int)
        case settingsChanged(Settings)

        static let toSettings = Case(Action.settingsChanged) {
            if case .settingsChanged(let settings) = $0 { settings } else { nil }
        }
    }

    let settings: SharedState<Settings>

    var body: some Dripper<State, Action> {
        Drip<State, Action> { state, action in
            switch action {
            case .resize(let size), .resizeAndClose(let size): state.settings.size = size
            case .settingsChanged: state.settings.size = min(state.settings.size, 100)
            }
            return .none
        }
        .sharing(\.settings, with: settings, action: Action.toSettings)
    }
}

/// Shows one detail.
private struct Main: Dripper {
    struct State: Equatable, Sendable {
        var detail: Detail.State?

        /// A size that the main part gives to its detail after each action.
        var fixedSize: Int?
    }

    enum Action: Equatable, Sendable {
        case open(Int)
        case openAndResize(Int)
        case detail(Detail.Action)

        static let toDetail = Case(Action.detail) { if case .detail(let action) = $0 { action } else { nil } }
    }

    let settings: SharedState<Settings>

    var body: some Dripper<State, Action> {
        Scope(optional: \.detail, action: Action.toDetail) { Detail(settings: settings) }
        Drip { state, action in
            switch action {
            case .open(let id):
                state.detail = Detail.State(id: id)
            case .openAndResize(let size):
                state.detail = Detail.State()
                return .send(.detail(.resize(size)))
            case .detail(.resizeAndClose):
                state.detail = nil
            case .detail:
                break
            }
            if let size = state.fixedSize { state.detail?.settings.size = size }
            return .none
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct SharedChildTests {
    private let settings = SharedState(Settings(size: 30))

    private func station(_ state: Main.State = Main.State()) -> TestStation<Main.State, Main.Action> {
        let settings = settings
        return TestStation(initialState: state) { Main(settings: settings) }
    }

    @Test func aChangeByAChildIsWrittenAlthoughItsParentRemovesTheChild() async {
        let station = station(Main.State(detail: Detail.State(settings: settings.value)))

        await station.pour(.detail(.resizeAndClose(5))) { $0.detail = nil }

        #expect(settings.value == Settings(size: 5))
        await station.finish()
    }

    @Test func aChildThatReplacesAnotherReceivesTheSharedValue() async {
        let station = station(Main.State(detail: Detail.State(settings: settings.value)))

        await station.pour(.open(2)) { $0.detail = Detail.State(id: 2) }
        await station.receive(.detail(.settingsChanged(Settings(size: 30)))) { $0.detail?.settings.size = 30 }

        #expect(settings.value == Settings(size: 30))
        await station.finish()
    }

    @Test func aNewChildReceivesTheSharedValueBeforeItsOwnChange() async {
        let station = station()

        await station.pour(.openAndResize(5)) { $0.detail = Detail.State() }
        await station.receive(.detail(.settingsChanged(Settings(size: 30)))) { $0.detail?.settings.size = 30 }
        await station.receive(.detail(.resize(5))) { $0.detail?.settings.size = 5 }

        #expect(settings.value == Settings(size: 5))
        await station.finish()
    }

    @Test(arguments: [30, 100]) func aReceivedValueThatTheChildLimitsIsWritten(_ size: Int) async {
        settings.update { $0.size = size }
        let station = station(Main.State(detail: Detail.State(settings: settings.value)))
        // Starts the station.
        await station.expectSubscriptions()

        settings.update { $0.size = 200 }
        await station.receive(.detail(.settingsChanged(Settings(size: 200)))) { $0.detail?.settings.size = 100 }

        #expect(settings.value == Settings(size: 100))
        await station.finish()
    }

    @Test func aParentThatRefusesTheSharedValueWins() async {
        let station = station(Main.State(detail: Detail.State(settings: settings.value), fixedSize: 7))

        await station.pour(.detail(.resize(8))) { $0.detail?.settings.size = 7 }
        await station.receive(.detail(.settingsChanged(Settings(size: 8))))

        #expect(settings.value == Settings(size: 7))
        await station.finish()
    }

    @Test func anActionOfTheProgramWithAValueIsWritten() async {
        let station = station(Main.State(detail: Detail.State(settings: settings.value)))

        await station.pour(.detail(.settingsChanged(Settings(size: 12)))) { $0.detail?.settings.size = 12 }

        #expect(settings.value == Settings(size: 12))
        await station.finish()
    }
}
