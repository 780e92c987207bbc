//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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

    @MainActor @Test func aPrinterPrintsEachAction() {
        let station = Station(initialState: Counter.State(), observers: [ActionPrinter()]) { Counter() }
        station.pour(.increase)
        // increase
        //   count: 0 → 1

        #expect(station.count == 1)
    }
}
