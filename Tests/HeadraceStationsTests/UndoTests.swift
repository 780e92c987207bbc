// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStations
import HeadraceTesting
import Testing

private struct Text: Dripper {
    struct State: Equatable, Sendable {
        var text = ""
        var history = UndoHistory<String>(limit: 3)
    }

    enum Action: Codable, Equatable, Sendable {
        case type(String)
        case append(String)
        case load
        case loaded(String)
        case correct
        case look
        case undo, redo
    }

    var body: some Dripper<State, Action> {
        Drip<State, Action> { state, action in
            switch action {
            case .type(let text), .append(let text), .loaded(let text): state.text += text
            case .load:
                state.text += "…"
                return .run { pour in pour(.loaded("x")) }
            case .correct: state.text = state.text.uppercased()
            case .look, .undo, .redo: break
            }
            return .none
        }
        .undoable(\.text, history: \.history) { action in
            switch action {
            case .undo: .undo
            case .redo: .redo
            case .type: .step(mergedAs: "typing")
            case .correct: .untracked
            default: .step
            }
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct UndoTests {
    private let station = TestStation(initialState: Text.State()) { Text() }

    @Test func aStepIsUndoneAndRedone() async {
        await station.pour(.append("a")) {
            $0.text = "a"
            $0.history.add("")
        }
        await station.pour(.append("b")) {
            $0.text = "ab"
            $0.history.add("a")
        }
        await station.pour(.undo) { $0.text = $0.history.undo(from: "ab") ?? "" }
        await station.pour(.undo) { $0.text = $0.history.undo(from: "a") ?? "no step" }
        #expect(await station.read(\.text) == "")
        await station.pour(.undo)
        await station.pour(.redo) { $0.text = $0.history.redo(from: "") ?? "" }
        await station.pour(.redo) { $0.text = $0.history.redo(from: "a") ?? "" }
        #expect(await station.read(\.text) == "ab")
        await station.pour(.redo)
        await station.finish()
    }

    @MainActor @Test func aNewStepClearsTheStepsToRedo() {
        let station = Station(initialState: Text.State()) { Text() }
        for action in [Text.Action.append("a"), .append("b"), .undo, .look] { station.pour(action) }
        #expect(station.history.canRedo)

        station.pour(.append("c"))

        #expect(!station.history.canRedo)
        station.pour(.redo)
        #expect(station.text == "ac")
        station.pour(.undo)
        #expect(station.text == "a")
    }

    @MainActor @Test func aChangeThatIsNoStepClearsTheStepsToRedoAndIsUndoneWithTheStepBefore() {
        let station = Station(initialState: Text.State()) { Text() }
        for action in [Text.Action.append("a"), .append("b"), .undo, .correct] { station.pour(action) }

        #expect(station.text == "A")
        #expect(!station.history.canRedo)
        station.pour(.undo)
        #expect(station.text == "")
    }

    @MainActor @Test func stepsOfAGroupAreUndoneTogether() {
        let station = Station(initialState: Text.State()) { Text() }
        for action in [Text.Action.type("a"), .type("b"), .append("c"), .type("d"), .type("e")] { station.pour(action) }

        station.pour(.undo)
        #expect(station.text == "abc")
        station.pour(.type("f"))
        station.pour(.undo)
        #expect(station.text == "abc")
        station.pour(.undo)
        station.pour(.undo)
        #expect(station.text == "")
    }

    @MainActor @Test func anActionOfAnEffectIsAStepOfItsOwn() async throws {
        let station = Station(initialState: Text.State()) { Text() }
        try await station.pour(.load).finish()

        #expect(station.text == "…x")
        station.pour(.undo)
        #expect(station.text == "…")
        station.pour(.undo)
        #expect(station.text == "")
    }

    @MainActor @Test func theOldestStepsAreForgotten() {
        let station = Station(initialState: Text.State()) { Text() }
        for letter in ["a", "b", "c", "d", "e"] { station.pour(.append(letter)) }
        for _ in 1...9 { station.pour(.undo) }

        #expect(station.text == "ab")
        for _ in 1...9 { station.pour(.redo) }
        #expect(station.text == "abcde")
    }

    @MainActor @Test func aReplayOfAJournalUndoesWhatWasUndone() async throws {
        let station = Station(initialState: Text.State()) { Text() }
        let recording = station.record()
        var numbers = SeededGenerator(seed: 7)
        let actions: [Text.Action] = [.type("a"), .append("b"), .undo, .redo, .load, .correct]
        for _ in 0..<300 {
            try await station.pour(actions[Int.random(in: 0..<actions.count, using: &numbers)]).finish()
        }

        let journal = try ActionJournal<Text.Action>(jsonLines: recording.journal.jsonLines())
        let replay = ActionReplay(journal, initialState: Text.State()) { Text() }
        replay.go(to: replay.count)

        #expect(replay.state == station.state)
    }

    @Test func aJournalHasTheSameTextAsBefore() throws {
        let journal = ActionJournal<Text.Action>([.append("a"), .undo, .redo])

        #expect(
            try String(decoding: journal.jsonLines(), as: UTF8.self)
                == "{\"append\":{\"_0\":\"a\"}}\n{\"undo\":{}}\n{\"redo\":{}}\n"
        )
    }

    @Test func aHistoryIsEncodedAndDecoded() throws {
        var history = UndoHistory<Int>(limit: 2)
        for value in 1...3 { history.add(value) }
        _ = history.undo(from: 4)

        let read = try JSONDecoder().decode(UndoHistory<Int>.self, from: JSONEncoder().encode(history))

        #expect(read == history)
        #expect(read.undoValues == [2])
        #expect(read.redoValues == [4])
    }

    @Test func aHistoryWithoutALimitIsNotDecoded() {
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(
                UndoHistory<Int>.self,
                from: Data(#"{"undoValues":[],"redoValues":[],"limit":0}"#.utf8)
            )
        }

        guard case .dataCorrupted(let context) = error else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
        #expect(
            context.debugDescription == "A history can't hold 0 steps. To fix, encode a limit of 1 or more."
        )
    }

    @Test func aHistoryThatWasDecodedWithTooManyStepsForgetsTheOldest() throws {
        let json = #"{"undoValues":[1,2,3],"redoValues":[6,5],"limit":2,"group":"typing"}"#
        var history = try JSONDecoder().decode(UndoHistory<Int>.self, from: Data(json.utf8))

        #expect(history.undoValues == [2, 3])
        #expect(history.redo(from: 4) == 5)
        #expect(history.undoValues == [3, 4])
        history.add(5)
        #expect(history.undoValues == [4, 5])
    }
}
