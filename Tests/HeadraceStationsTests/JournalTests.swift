// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStations
import HeadraceTesting
import Testing

@MainActor
@Suite(.timeLimit(.minutes(2))) struct JournalTests {
    private struct Ledger: Dripper {
        struct State: Equatable, Sendable {
            var balance = 0
            var history: [Int] = []
        }

        enum Action: Codable, Equatable, Sendable {
            case book(Int)
            case bookTwice(amount: Int)
            case bookLater(Int)
            case clear
        }

        var body: some Dripper<State, Action> {
            Drip { state, action in
                switch action {
                case .book(let amount):
                    state.balance += amount
                    state.history.append(state.balance)
                    return .none
                case .bookTwice(let amount):
                    return .merge(.send(.book(amount)), .send(.book(amount)))
                case .bookLater(let amount):
                    return .run { pour in pour(.book(amount)) }
                case .clear:
                    state.history = []
                    return .none
                }
            }
        }
    }

    /// Returns the journal of `count` random actions, and the state after each of its actions.
    private func record(_ count: Int, seed: UInt64) async throws -> (ActionJournal<Ledger.Action>, [Ledger.State]) {
        let station = Station(initialState: Ledger.State()) { Ledger() }
        let recording = station.record()
        var numbers = SeededGenerator(seed: seed)
        for _ in 0..<count {
            let amount = Int.random(in: -9...9, using: &numbers)
            let actions: [Ledger.Action] = [.book(amount), .bookTwice(amount: amount), .bookLater(amount), .clear]
            try await station.pour(actions[Int.random(in: 0..<4, using: &numbers)]).finish()
        }
        var states = [Ledger.State()]
        let replay = ActionReplay(recording.journal, initialState: Ledger.State()) { Ledger() }
        while replay.step() != nil { states.append(replay.state) }
        #expect(states.last == station.state, "seed \(seed)")
        return (recording.journal, states)
    }

    @Test(arguments: 0..<20)
    func aJournalReplaysToTheIdenticalState(seed: UInt64) async throws {
        let (journal, states) = try await record(200, seed: seed)

        let read = try ActionJournal<Ledger.Action>(jsonLines: journal.jsonLines())
        let replay = ActionReplay(read, initialState: Ledger.State()) { Ledger() }
        replay.go(to: replay.count)

        #expect(read == journal)
        #expect(replay.state == states.last, "seed \(seed)")
    }

    @Test(arguments: 0..<20)
    func steppingForwardsAndBackwardsReachesTheSameStates(seed: UInt64) async throws {
        let (journal, states) = try await record(300, seed: seed)
        let replay = ActionReplay(journal, initialState: Ledger.State()) { Ledger() }
        var numbers = SeededGenerator(seed: seed)

        for _ in 0..<300 {
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0: replay.go(to: Int.random(in: 0...replay.count, using: &numbers))
            case 1: replay.step()
            default: replay.stepBack()
            }
            #expect(replay.state == states[replay.position], "seed \(seed), position \(replay.position)")
        }
    }

    @Test func aReplayOfAnObjectGoesBackFromTheStart() {
        let journal = ActionJournal<Counter.Action>([.increase, .increase, .decrease])
        let replay = ActionReplay(journal, initialState: Counter.State()) { Counter() }

        replay.go(to: 3)
        #expect(replay.state.count == 1)
        #expect(replay.stepBack() == .decrease)
        #expect(replay.state.count == 2)
        replay.go(to: 0)
        #expect(replay.stepBack() == nil)
        #expect(replay.state.count == 0)
    }

    @Test func theErrorOfAMalformedJournalNamesTheLine() throws {
        let text = "{\"clear\":{}}\n\n{\"pay\":{}}\n"

        let error = #expect(throws: StationError.self) {
            _ = try ActionJournal<Ledger.Action>(jsonLines: Data(text.utf8))
        }

        #expect(error?.code == .malformedJournal)
        #expect(error?.message.contains("Line 3") == true)
    }

    @Test func aStoppedRecordingRecordsNothing() {
        let station = Station(initialState: Counter.State()) { Counter() }
        let recording = station.record()

        station.pour(.increase)
        recording.stop()
        station.pour(.decrease)

        #expect(recording.journal.actions == [.increase])
    }
}
