// SPDX-License-Identifier: Apache-2.0

import HeadraceStations

/// A parent of thirty children, each in its own scope, as a test of the compile time.
struct Thirty: Dripper {
    struct State {
        var counters = (0..<30).map { _ in Counter.State() }
    }

    enum Action: Sendable {
        case child(Int, Counter.Action)
    }

    static func number(_ number: Int) -> Case<Action, Counter.Action> {
        Case {
            .child(number, $0)
        } extract: {
            if case .child(number, let action) = $0 { action } else { nil }
        }
    }

    var body: some Dripper<State, Action> {
        Scope(state: \.counters[0], action: Self.number(0)) { Counter() }
        Scope(state: \.counters[1], action: Self.number(1)) { Counter() }
        Scope(state: \.counters[2], action: Self.number(2)) { Counter() }
        Scope(state: \.counters[3], action: Self.number(3)) { Counter() }
        Scope(state: \.counters[4], action: Self.number(4)) { Counter() }
        Scope(state: \.counters[5], action: Self.number(5)) { Counter() }
        Scope(state: \.counters[6], action: Self.number(6)) { Counter() }
        Scope(state: \.counters[7], action: Self.number(7)) { Counter() }
        Scope(state: \.counters[8], action: Self.number(8)) { Counter() }
        Scope(state: \.counters[9], action: Self.number(9)) { Counter() }
        Scope(state: \.counters[10], action: Self.number(10)) { Counter() }
        Scope(state: \.counters[11], action: Self.number(11)) { Counter() }
        Scope(state: \.counters[12], action: Self.number(12)) { Counter() }
        Scope(state: \.counters[13], action: Self.number(13)) { Counter() }
        Scope(state: \.counters[14], action: Self.number(14)) { Counter() }
        Scope(state: \.counters[15], action: Self.number(15)) { Counter() }
        Scope(state: \.counters[16], action: Self.number(16)) { Counter() }
        Scope(state: \.counters[17], action: Self.number(17)) { Counter() }
        Scope(state: \.counters[18], action: Self.number(18)) { Counter() }
        Scope(state: \.counters[19], action: Self.number(19)) { Counter() }
        Scope(state: \.counters[20], action: Self.number(20)) { Counter() }
        Scope(state: \.counters[21], action: Self.number(21)) { Counter() }
        Scope(state: \.counters[22], action: Self.number(22)) { Counter() }
        Scope(state: \.counters[23], action: Self.number(23)) { Counter() }
        Scope(state: \.counters[24], action: Self.number(24)) { Counter() }
        Scope(state: \.counters[25], action: Self.number(25)) { Counter() }
        Scope(state: \.counters[26], action: Self.number(26)) { Counter() }
        Scope(state: \.counters[27], action: Self.number(27)) { Counter() }
        Scope(state: \.counters[28], action: Self.number(28)) { Counter() }
        Scope(state: \.counters[29], action: Self.number(29)) { Counter() }
        Drip { _, _ in .none }
    }
}
