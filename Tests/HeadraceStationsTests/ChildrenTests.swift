// SPDX-License-Identifier: Apache-2.0

import HeadraceStations
import HeadraceTesting
import Synchronization
import Testing

private struct Todo: Identifiable, Equatable, Sendable {
    let id: Int
}

private struct TodoList: Dripper {
    struct State: Equatable, Sendable {
        var todos: Children<Todo> = [Todo(id: 1), Todo(id: 2)]
    }

    enum Action { case remove(Int) }

    var body: some Dripper<State, Action> {
        Drip { state, action in
            switch action {
            case .remove(let id): state.todos.remove(id: id)
            }
            return .none
        }
    }
}

@Suite struct ChildrenTests {
    @Test func childrenArePrintedAsAnArrayBeforeAndAfterARemoval() {
        var todos: Children<Todo> = [Todo(id: 1), Todo(id: 2)]
        #expect("\(todos)" == "\([Todo(id: 1), Todo(id: 2)])")

        todos.remove(id: 1)

        #expect("\(todos)" == "\([Todo(id: 2)])")
        #expect(String(reflecting: todos) == String(reflecting: [Todo(id: 2)]))
    }

    @MainActor @Test func theChangeOfAStateShowsTheChildrenWithoutTheirInternals() {
        let lines = Mutex<[String]>([])
        let printer = ActionPrinter { text in lines.withLock { $0.append(text) } }
        let station = Station(initialState: TodoList.State(), observers: [printer]) { TodoList() }

        station.pour(.remove(1))

        let (old, new) = ([Todo(id: 1), Todo(id: 2)], [Todo(id: 2)])
        let text = "remove(1)\n  todos: \(String(reflecting: old)) → \(String(reflecting: new))"
        // A private type has an address in its name, which the printer leaves out.
        #expect(lines.withLock { $0.map(\.withoutPrivateContext) } == [text.withoutPrivateContext])
    }

    @Test func aTestExpectsTheChildrenThatRemainAndNotTheWayInWhichOthersWereRemoved() async {
        let station = TestStation(initialState: TodoList.State()) { TodoList() }

        await station.pour(.remove(1)) { $0.todos = [Todo(id: 2)] }

        await station.finish()
    }
}

extension String {
    fileprivate var withoutPrivateContext: String {
        replacing(/\(unknown context at [^)]*\)\.?/, with: "")
    }
}
