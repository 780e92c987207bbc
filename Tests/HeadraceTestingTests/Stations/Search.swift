// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStations
import Observation

/// A search as you type, which runs 300 milliseconds after the last change of the text.
struct Search: Dripper {
    @Observable
    final class State {
        var text = ""
        var results: [String] = []
        var isSearching = false
        @ObservationIgnored private let id = UUID()
    }

    enum Action: Equatable, Sendable {
        case typed(String)
        case found([String])
        case failed
        case cleared
    }

    var look: @Sendable (String) async throws -> [String] = { ["\($0)1", "\($0)2"] }

    var body: some Dripper<State, Action> {
        let look = look
        Drip { state, action in
            switch action {
            case .typed(let text):
                state.text = text
                state.isSearching = true
                return .run { pour in
                    pour(.found(try await look(text)))
                } catch: { _, pour in
                    pour(.failed)
                }
                .debounce(id: "search", for: .milliseconds(300))
            case .found(let results):
                state.results = results
                state.isSearching = false
                return .none
            case .failed:
                state.isSearching = false
                return .none
            case .cleared:
                state.text = ""
                state.results = []
                state.isSearching = false
                return .cancel(id: "search")
            }
        }
    }
}

/// A counter with immediate, repeated, concurrent, and failing effects.
struct Steps: Dripper {
    struct State: Equatable, Sendable {
        var count = 0
        var note = ""
    }

    enum Action: Equatable, Sendable {
        case add(Int)
        case addTwice(Int)
        case addEverySecond
        case stop
        case race([Int])
        case fail
    }

    struct Broken: Error {}

    var body: some Dripper<State, Action> {
        Drip { state, action in
            switch action {
            case .add(let number):
                state.count += number
                return .none
            case .addTwice(let number):
                return .merge(.send(.add(number)), .run { pour in pour(.add(number)) })
            case .addEverySecond:
                return .timer(every: .seconds(1)) { .add(1) }.cancellable(id: "timer")
            case .stop:
                return .cancel(id: "timer")
            case .race(let numbers):
                state.note = ""
                return .merge(
                    numbers.map { number in
                        .run { pour in
                            await Task.yield()
                            pour(.add(number))
                        }
                    }
                )
            case .fail:
                return .run { _ in throw Broken() }
            }
        }
    }
}
