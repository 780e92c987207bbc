// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStations
import HeadraceTesting
import Observation

/// A counter with an observable class as its state.
struct Counter: Dripper {
    @Observable
    final class State {
        var count: Int
        @ObservationIgnored private let id = UUID()

        init(count: Int = 0) {
            self.count = count
        }
    }

    enum Action: Equatable {
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

/// A list of notes.
///
/// An action carries its own effect.
struct Log: Dripper {
    struct State: Equatable {
        var entries: [String] = []
    }

    indirect enum Action: Sendable, CustomStringConvertible {
        case note(String)
        case start(String, Effect<Action>)

        var description: String {
            switch self {
            case .note(let text), .start(let text, _): text
            }
        }
    }

    var body: some DripperOf<Self> {
        Drip { state, action in
            switch action {
            case .note(let text):
                state.entries.append(text)
                return .none
            case .start(let text, let effect):
                state.entries.append(text)
                return effect
            }
        }
    }
}

/// An error of an effect, with a name.
struct EffectFailure: Error, Equatable {
    var name = "failure"
}

/// A gate that opens once, and counts the tasks that wait at it.
final class CancellableGate: Sendable {
    private let stream: AsyncStream<Void>
    private let arrived = ConditionVariable(0)
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func open() {
        continuation.finish()
    }

    /// Returns when the gate is open or the task is cancelled.
    func wait() async {
        arrived.change { $0 += 1 }
        for await _ in stream {}
    }

    /// Returns when `count` tasks have arrived at the gate.
    func arrivals(_ count: Int) async {
        await arrived.wait { $0 >= count }
    }
}
