// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceStations
import Observation
import Testing

struct Counter: Dripper {
    @Observable
    final class State: @unchecked Sendable {
        var count = 0
        @ObservationIgnored private let id: UUID

        init(count: Int = .zero) {
            self.count = count
            self.id = UUID()
        }
    }

    enum Action {
        case increase
        case decrease
    }

    var body: some Dripper<State, Action> {
        Drip { state, action in
            switch action {
            case .increase:
                state.count += 1
                return .none

            case .decrease:
                state.count -= 1
                return .none
            }
        }
    }
}

struct ScoredCounter: Dripper {
    typealias State = Counter.State
    typealias Action = Counter.Action

    var body: some Dripper<State, Action> {
        Drip { state, action in
            switch action {
            case .increase:
                state.count += 1
                return .none  // means no side-effect

            case .decrease:
                state.count -= 1
                return .run { pour in  // means there's a side-effect
                    let score = try await fetchScore(for: .now)

                    let action = score.isPositive ? Action.increase : Action.decrease
                    pour(action)  // you can trigger another action
                }
            }
        }
    }
}

/// Stands for a view: a struct with a station, without SwiftUI.
@MainActor
struct CounterView {
    let station: StationOf<Counter>

    var title: String { "\(station.count)" }

    func tap() {
        station.pour(.increase)
    }
}

@Suite(.timeLimit(.minutes(1))) @MainActor struct DripperTests {
    @Test func aViewReadsItsStationAndPours() {
        let view = CounterView(
            station: Station(initialState: Counter.State()) {
                Counter()
            }
        )

        view.tap()
        view.tap()
        view.station.pour(.decrease)

        #expect(view.title == "1")
    }

    @Test func theStatePassedToTheStationIsChanged() {
        let state = Counter.State(count: 5)
        let station = Station(initialState: state) { Counter() }

        station.pour(.increase)

        #expect(state.count == 6)
    }

    @Test func anEffectPoursAnotherAction() async throws {
        let station = Station(initialState: Counter.State()) { ScoredCounter() }

        try await station.pour(.decrease).finish()

        #expect(station.count == 0)
    }
}

private struct Score {
    let isPositive: Bool
}

private func fetchScore(for date: Date) async throws -> Score {
    Score(isPositive: true)
}
