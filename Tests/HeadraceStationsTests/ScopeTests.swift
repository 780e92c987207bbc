// SPDX-License-Identifier: Apache-2.0

import HeadraceStations
import Synchronization
import Testing

/// A parent with every kind of child.
private struct House: Dripper {
    struct Row: Identifiable {
        let id: Int
        var log = Log.State()
    }

    enum Room: Equatable {
        case empty
        case hall(Log.State)
        case cellar(Int)
    }

    struct State {
        var counter = Counter.State()
        var log = Log.State()
        var guest: Log.State?
        var room = Room.empty
        var rows: Children<Row> = []
        var keyed: [String: Log.State] = [:]
        var increases = 0
    }

    enum Action: Sendable {
        case counter(Counter.Action)
        case log(Log.Action)
        case guest(Log.Action)
        case hall(Log.Action)
        case row(Int, Log.Action)
        case keyed(String, Log.Action)
        case guestLeaves
        case removeRow(Int)
        case removeKey(String)
        case cancel(String)
    }

    var absent = AbsentChildPolicy.report

    var body: some Dripper<State, Action> {
        Scope(
            state: \.counter,
            action: Case(Action.counter) { if case .counter(let action) = $0 { action } else { nil } }
        ) {
            Counter()
        }
        Scope(state: \.log, action: Case(Action.log) { if case .log(let action) = $0 { action } else { nil } }) {
            Log()
        }
        Scope(
            optional: \.guest,
            action: Case(Action.guest) { if case .guest(let action) = $0 { action } else { nil } },
            absent: absent
        ) {
            Log()
        }
        Scope(
            state: \.room,
            case: Case(Room.hall) { if case .hall(let state) = $0 { state } else { nil } },
            action: Case(Action.hall) { if case .hall(let action) = $0 { action } else { nil } },
            absent: absent
        ) {
            Log()
        }
        Scope(
            each: \.rows,
            action: Case(Action.row) { if case .row(let id, let action) = $0 { (id, action) } else { nil } },
            absent: absent
        ) {
            Scope(
                state: \.log,
                action: Case {
                    $0
                } extract: {
                    $0
                }
            ) { Log() }
        }
        Scope(
            each: \.keyed,
            action: Case(Action.keyed) { if case .keyed(let id, let action) = $0 { (id, action) } else { nil } },
            absent: absent
        ) {
            Log()
        }
        Drip { state, action in
            switch action {
            case .counter(.increase): state.increases += 1
            case .guestLeaves: state.guest = nil
            case .removeRow(let id): state.rows.remove(id: id)
            case .removeKey(let key): state.keyed[key] = nil
            case .cancel(let id): return .cancel(id: id)
            default: break
            }
            return .none
        }
    }
}

@MainActor
@Suite(.timeLimit(.minutes(2))) struct ScopeTests {
    private func station(absent: AbsentChildPolicy = .report) -> StationOf<House> {
        var state = House.State()
        state.rows = Children((0..<3).map { House.Row(id: $0) })
        state.keyed = ["a": Log.State(), "b": Log.State()]
        return Station(initialState: state) { House(absent: absent) }
    }

    @Test func childrenReduceTheirActionsAndTheParentMatchesThem() {
        let station = station()

        station.pour(.counter(.increase))
        station.pour(.counter(.decrease))
        station.pour(.log(.note("l")))
        station.pour(.row(1, .note("r")))
        station.pour(.keyed("b", .note("k")))

        #expect(station.counter.count == 0)
        #expect(station.increases == 1)
        #expect(station.log.entries == ["l"])
        #expect(station.rows.map(\.log.entries) == [[], ["r"], []])
        #expect(station.keyed.mapValues(\.entries) == ["a": [], "b": ["k"]])
    }

    @Test func sentAndPouredActionsOfAChildReturnToTheChild() async throws {
        let station = station()

        try await station.pour(.row(2, .start("s", .merge(.send(.note("t")), .run { pour in pour(.note("u")) }))))
            .finish()

        #expect(station.rows[id: 2]?.log.entries == ["s", "t", "u"])
    }

    @Test func anActionOfAnAbsentChildFails() async throws {
        let station = station()

        for action: House.Action in [
            .guest(.note("g")), .hall(.note("h")), .row(9, .note("r")), .keyed("z", .note("k")),
        ] {
            let error = await #expect(throws: StationError.self) { try await station.pour(action).finish() }
            #expect(error?.code == .childIsGone)
        }
    }

    @Test func anActionOfAnAbsentChildIsDroppedIfThatIsThePolicy() async throws {
        let station = station(absent: .drop)

        try await station.pour(.guest(.note("g"))).finish()
        try await station.pour(.row(9, .note("r"))).finish()

        #expect(station.guest == nil)
    }

    @Test func optionalAndEnumChildrenReduceWhileTheyExist() {
        let station = Station(initialState: House.State(guest: Log.State(), room: .hall(Log.State()))) { House() }

        station.pour(.guest(.note("g")))
        station.pour(.hall(.start("h", .send(.note("i")))))

        #expect(station.guest?.entries == ["g"])
        #expect(station.room == .hall(Log.State(entries: ["h", "i"])))
    }

    @Test func removingAChildCancelsItsEffects() async throws {
        let station = Station(
            initialState: House.State(guest: Log.State(), rows: [House.Row(id: 1)], keyed: ["k": Log.State()])
        ) { House() }
        // The cancellation of a task opens its gate for all tasks, so each effect has its own gate.
        let gates = [CancellableGate(), CancellableGate(), CancellableGate()]
        let effects = gates.map { gate in
            Effect<Log.Action>.run { pour in
                await gate.wait()
                pour(.note("too late"))
            }
        }
        let guest = station.pour(.guest(.start("", effects[0])))
        let row = station.pour(.row(1, .start("", effects[1])))
        let keyed = station.pour(.keyed("k", .start("", effects[2])))
        for gate in gates { await gate.arrivals(1) }

        station.pour(.guestLeaves)
        try await guest.finish()
        #expect(!row.isFinished)
        station.pour(.removeRow(1))
        try await row.finish()
        #expect(!keyed.isFinished)
        station.pour(.removeKey("k"))
        try await keyed.finish()
    }

    @Test func idsOfEffectsAreValidOnlyInTheirChild() async throws {
        let station = station()
        let gate = CancellableGate()
        let wait = Effect<Log.Action>.run { pour in
            await gate.wait()
            pour(.note("done"))
        }.cancellable(id: "x")
        let tasks = [
            station.pour(.row(0, .start("", wait))),
            station.pour(.row(1, .start("", wait))),
            station.pour(.log(.start("", wait))),
        ]
        station.pour(.cancel("x"))
        station.pour(.row(1, .start("", .cancel(id: "x"))))
        gate.open()
        for task in tasks { try await task.finish() }

        #expect(station.rows.map(\.log.entries) == [["", "done"], ["", ""], []])
        #expect(station.log.entries == ["", "done"])
    }

    @Test(arguments: [[], [1], [1, 2, 3], [4, 4, 1]])
    func bodiesCanContainConditionsAndLoops(steps: [Int]) {
        let station = Station(initialState: 0) {
            if steps.isEmpty {
                Drip<Int, Int> { state, action in
                    state = -action
                    return .none
                }
            }
            for step in steps {
                Drip<Int, Int> { state, action in
                    state += step * action
                    return .none
                }
            }
        }

        station.pour(10)

        #expect(station.state == (steps.isEmpty ? -10 : steps.reduce(0, +) * 10))
    }

    @Test func tenNestedScopesReachTheInnermost() async throws {
        let station = Station(initialState: Nested(depth: 10)) { Nested.dripper(depth: 10) }

        try await station.pour(Deep(depth: 10)).finish()

        #expect(station.total == 11)
    }
}

/// A state that contains a state of the same type.
private struct Nested {
    var count = 0
    var inner: [Nested] = []

    init(depth: Int) {
        if depth > 0 { inner = [Nested(depth: depth - 1)] }
    }

    var total: Int { count + inner.reduce(0) { $0 + $1.total } }

    static func dripper(depth: Int) -> Drippers<Nested, Deep> {
        let own = Drip<Nested, Deep> { state, _ in
            state.count += 1
            return .none
        }
        if depth == 0 { return Drippers(own) }
        let action = Case<Deep, Deep> {
            Deep(depth: $0.depth + 1)
        } extract: {
            $0.depth > 0 ? Deep(depth: $0.depth - 1) : nil
        }
        let scope = Scope<Nested, Deep>(state: \.inner[0], action: action) { dripper(depth: depth - 1) }
        return Drippers([Drippers(scope), Drippers(own)])
    }
}

/// An action, with the number of levels to the innermost child.
private struct Deep {
    var depth: Int
}
