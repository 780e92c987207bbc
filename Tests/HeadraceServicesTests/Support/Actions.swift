// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceServices
import HeadraceTesting

struct Ping: Action, Equatable { var number = 0 }
struct Pong: Action, Equatable { var number = 0 }
struct Unheard: Action, Equatable {}

struct TestFailure: Error, Equatable, CustomStringConvertible {
    let name: String

    init(_ name: String) { self.name = name }

    var description: String { name }
}

struct Recovery: Action, Equatable { let name: String }

struct Counter: Sendable, Equatable {
    var count = 0
}

/// A service that records its name for each ping, and then throws `error`.
struct Leaf: Service {
    let name: String
    let journal: Journal
    var error: TestFailure?
    var gate: Gate?

    init(_ name: String, _ journal: Journal, throwing error: TestFailure? = nil, after gate: Gate? = nil) {
        self.name = name
        self.journal = journal
        self.error = error
        self.gate = gate
    }

    var body: some Service {
        Store(model: Journal.self)
            .mutate(on: Ping.self) { [name, error, gate] journal, _, _ in
                await gate?.pass()
                journal.note(name)
                if let error { throw error }
            }
            .with(model: journal)
    }
}
