// SPDX-License-Identifier: Apache-2.0

import HeadraceStations
import Testing

/// The basic use of a station.
@MainActor
@Suite(.timeLimit(.minutes(2))) struct UsageTests {
    private struct Scorer: Dripper {
        typealias State = Counter.State

        enum Action {
            case increase
            case decrease
            case follow(Int)
        }

        let fetchScore: @Sendable (Int) async throws -> Int

        var body: some Dripper<State, Action> {
            let fetchScore = fetchScore
            Drip { state, action in
                switch action {
                case .increase:
                    state.count += 1
                    return .none

                case .decrease:
                    state.count -= 1
                    return .none

                case .follow(let player):
                    return .run { pour in
                        let score = try await fetchScore(player)

                        let action = score > 0 ? Action.increase : Action.decrease
                        pour(action)
                    }
                }
            }
        }
    }

    private struct Screen {
        let station: StationOf<Counter>

        @MainActor var title: String { "\(station.count)" }

        @MainActor func tap() {
            station.pour(.increase)
        }
    }

    @Test func aScreenReadsItsStationAndPoursIntoIt() {
        let screen = Screen(
            station: Station(initialState: Counter.State()) {
                Counter()
            }
        )

        screen.tap()
        screen.tap()

        #expect(screen.title == "2")
    }

    @Test(arguments: [(5, 1), (-5, -1)])
    func anEffectPoursAnActionForTheFetchedValue(score: Int, count: Int) async throws {
        let station: StationOf<Scorer> = Station(initialState: Counter.State()) {
            Scorer { _ in score }
        }

        try await station.pour(.follow(7)).finish()

        #expect(station.count == count)
    }

    @Test func theTaskThrowsTheErrorOfAnEffect() async {
        let station: StationOf<Scorer> = Station(initialState: Counter.State()) {
            Scorer { _ in throw EffectFailure(name: "offline") }
        }

        await #expect(throws: EffectFailure(name: "offline")) { try await station.pour(.follow(7)).finish() }
    }

    @Test func aBodyCanContainThirtyChildren() {
        let station = Station(initialState: Thirty.State()) { Thirty() }

        for number in 0..<30 { station.pour(.child(number, .increase)) }

        #expect(station.counters.map(\.count) == Array(repeating: 1, count: 30))
    }
}
