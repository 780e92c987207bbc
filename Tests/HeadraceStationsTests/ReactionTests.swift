// SPDX-License-Identifier: Apache-2.0

import HeadraceStations
import HeadraceTesting
import Synchronization
import Testing

@Suite struct ReactionTests {
    private struct Player: Dripper {
        struct State: Equatable, Sendable {
            var volume = 0
            var other = 0
            var log: [String] = []
        }

        enum Action: Equatable, Sendable {
            case set(Int)
            case note(String)
            case again
        }

        let react: @Sendable (inout State, Int, Int) -> Effect<Action>

        var body: some Dripper<State, Action> {
            let react = react
            Drip<State, Action> { state, action in
                switch action {
                case .set(let volume): state.volume = volume
                case .note(let text): state.log.append(text)
                case .again: return .send(.set(state.volume + 1))
                }
                return .none
            }
            .onChange(of: \.volume) { react(&$0, $1, $2) }
        }
    }

    @Test func aReactionReceivesTheOldAndTheNewValue() async {
        let station = TestStation(initialState: Player.State()) {
            Player { state, old, new in
                state.log.append("\(old) \(new)")
                return .send(.note("sent"))
            }
        }

        await station.pour(.set(3)) {
            $0.volume = 3
            $0.log = ["0 3"]
        }
        await station.receive(.note("sent")) { $0.log = ["0 3", "sent"] }
        await station.pour(.set(3))
        await station.finish()
    }

    @Test func aReactionIsCalledAgainForItsOwnChange() async {
        let station = TestStation(initialState: Player.State()) {
            Player { state, old, new in
                state.log.append("\(old) \(new)")
                state.volume = min(new, 10)
                return .none
            }
        }

        await station.pour(.set(12)) {
            $0.volume = 10
            $0.log = ["0 12", "12 10"]
        }
        await station.finish()
    }

    @MainActor @Test func anEndlessReactionFailsTheActionAndKeepsTheState() async throws {
        let calls = Mutex(0)
        let station = Station(initialState: Player.State()) {
            Player { state, _, _ in
                calls.withLock { $0 += 1 }
                state.volume += 1
                return .send(.note("never"))
            }
        }

        let error = await #expect(throws: StationError.self) { try await station.pour(.set(1)).finish() }

        #expect(error?.code == .endlessChange)
        #expect(error?.message.contains("Int") == true)
        #expect(calls.withLock { $0 } == 100)
        #expect(station.state == Player.State(volume: 101))
        station.pour(.note("later"))
        #expect(station.log == ["later"])
    }

    @Test func anOuterReactionSeesTheChangesOfAnInnerReaction() async {
        let station = TestStation(initialState: Player.State()) {
            Player { state, _, new in
                state.other = new * 2
                return .none
            }
            .onChange(of: \.other) { state, _, new in
                state.log.append("other \(new)")
                state.volume = -1
                return .none
            }
        }

        // The inner reaction doesn't see the change of the outer reaction, so they don't call each other for ever.
        await station.pour(.set(2)) {
            $0.volume = -1
            $0.other = 4
            $0.log = ["other 4"]
        }
        await station.finish()
    }

    @Test func aReactionOfAnObjectComparesItsProperties() async {
        let station = TestStation(initialState: Counter.State(), exhaustivity: .off) {
            Counter().onChange(of: \.count) { state, old, new in
                if new == 1 { state.count = 5 }
                return .none
            }
        }

        await station.pour(.increase) { $0.count = 5 }
        await station.finish()
    }

    @MainActor @Test func aReactionOfAChildChangesAndSendsWithinTheChild() async throws {
        struct Parent: Dripper {
            struct State: Equatable, Sendable {
                var left = Player.State()
                var right = Player.State()
            }

            enum Action: Sendable {
                case left(Player.Action)
                case right(Player.Action)
            }

            var body: some Dripper<State, Action> {
                Scope(
                    state: \.left,
                    action: Case(Action.left) { if case .left(let action) = $0 { action } else { nil } }
                ) { Player { _, _, new in .send(.note("\(new)")) } }
                Scope(
                    state: \.right,
                    action: Case(Action.right) { if case .right(let action) = $0 { action } else { nil } }
                ) { Player { _, _, new in .send(.note("\(new)")) } }
            }
        }
        let station = Station(initialState: Parent.State()) { Parent() }

        station.pour(.left(.set(1)))

        #expect(station.left.log == ["1"])
        #expect(station.right.log == [])
    }

    @MainActor @Test func aPrinterPrintsActionsWithTheirChanges() async throws {
        let printed = Mutex<[String]>([])
        let printer = ActionPrinter { text in printed.withLock { $0.append(text) } }
        let station = Station(initialState: Player.State(), observers: [printer]) {
            Player { _, _, new in new == 2 ? .run { pour in pour(.note("two")) } : .none }
        }

        station.pour(.set(1))
        station.pour(.set(1))
        try await station.pour(.again).finish()

        #expect(
            printed.withLock(\.self) == [
                "set(1)\n  volume: 0 → 1",
                "set(1)\n  no changes",
                "again\n  no changes",
                "set(2)\n  volume: 1 → 2",
                "note(\"two\")\n  log: [] → [\"two\"]",
            ]
        )
    }
}
