// SPDX-License-Identifier: Apache-2.0

#if Macros
import Headrace
import HeadraceStations
import HeadraceTesting
import Testing

private struct Counter: Dripper {
    struct State: Equatable, Sendable {
        var count = 0
    }

    enum Action { case increase }

    var body: some Dripper<State, Action> {
        Drip { state, _ in
            state.count += 1
            return .none
        }
    }
}

private enum Row {
    struct State: Identifiable, Equatable, Sendable {
        let id: Int
        var title = ""
    }

    enum Action { case rename(String) }
}

private struct Board: Dripper {
    struct State: Equatable, Sendable {
        var counter = Counter.State()
        var rows: Children<Row.State> = []
    }

    @Cases
    enum Action {
        case reset
        case counter(Counter.Action)
        case row(Int, Row.Action)
    }

    var body: some Dripper<State, Action> {
        Scope(state: \.counter, action: Action.Cases.counter) { Counter() }
        Scope(each: \.rows, action: Action.Cases.row) {
            Drip { state, action in
                switch action {
                case .rename(let title): state.title = title
                }
                return .none
            }
        }
    }
}

@Suite struct CasesExamples {
    @Test func theCasesOfAnEnumerationLeadToItsChildren() async {
        let station = TestStation(initialState: Board.State(rows: [Row.State(id: 7)])) { Board() }

        await station.pour(.counter(.increase)) { $0.counter.count = 1 }
        await station.pour(.row(7, .rename("seven"))) { $0.rows[id: 7]?.title = "seven" }
        await station.pour(.reset)

        await station.finish()
    }

    @Test func aCaseExtractsItsOwnValueOnly() {
        #expect(Board.Action.Cases.row.value(in: .row(7, .rename("seven")))?.0 == 7)
        #expect(Board.Action.Cases.row.value(in: .reset) == nil)
        #expect(Board.Action.Cases.counter.value(in: .counter(.increase)) == .increase)
    }
}
#endif
