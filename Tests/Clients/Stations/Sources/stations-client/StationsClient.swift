// SPDX-License-Identifier: Apache-2.0

import HeadraceStations

struct Counter: Dripper {
    struct State: Sendable { var count = 0 }
    enum Action: Sendable { case increase, increaseTwice }

    var body: some Dripper<State, Action> {
        Drip { state, action in
            switch action {
            case .increase:
                state.count += 1
                return .none
            case .increaseTwice:
                return .merge(.send(.increase), .send(.increase))
            }
        }
    }
}

@main
struct StationsClient {
    static func main() async throws {
        let station = ActorStation(initialState: Counter.State()) { Counter() }
        try await station.pour(.increaseTwice).finish()
        print(await station.count)
    }
}
