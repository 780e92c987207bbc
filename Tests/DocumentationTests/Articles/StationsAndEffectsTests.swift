// SPDX-License-Identifier: Apache-2.0

import HeadraceStations
import HeadraceTesting
import Testing

private struct Search: Dripper {
    struct State: Equatable, Sendable {
        var text = ""
        var results: [String] = []
        var problem: String?
    }

    enum Action: Equatable, Sendable {
        case typed(String)
        case search
        case found([String])
        case failed(String)
    }

    let find: @Sendable (String) async throws -> [String]

    var body: some Dripper<State, Action> {
        let find = find
        Drip { state, action in
            switch action {
            case .typed(let text):
                state.text = text
                return .send(.search).debounce(id: "typing", for: .milliseconds(300))
            case .search:
                let text = state.text
                return .run { pour in
                    pour(.found(try await find(text)))
                } catch: { error, pour in
                    pour(.failed("\(error)"))
                }
                .cancellable(id: "search", cancelInFlight: true)
            case .found(let results):
                state.results = results
                state.problem = nil
                return .none
            case .failed(let problem):
                state.problem = problem
                return .none
            }
        }
    }
}

private struct Offline: Error {}

@Suite(.timeLimit(.minutes(2))) struct StationsAndEffectsTests {
    @Test func onlyTheLatestQueryIsSearched() async {
        let station = TestStation(initialState: Search.State()) { Search { ["\($0) 1", "\($0) 2"] } }

        await station.pour(.typed("tea")) { $0.text = "tea" }
        await station.advance(by: .milliseconds(200))
        await station.pour(.typed("teapot")) { $0.text = "teapot" }
        await station.advance(by: .milliseconds(300))
        await station.receive(.search)
        await station.receive(.found(["teapot 1", "teapot 2"])) { $0.results = ["teapot 1", "teapot 2"] }
        await station.finish()
    }

    @Test func aFailureIsShownAndTheResultsStay() async {
        let station = TestStation(initialState: Search.State(text: "tea", results: ["tea 1"])) {
            Search { _ in throw Offline() }
        }

        await station.pour(.search)
        await station.receive(.failed("Offline()")) { $0.problem = "Offline()" }
        await station.finish()
    }
}
