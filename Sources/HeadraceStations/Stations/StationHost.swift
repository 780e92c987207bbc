//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The actor of an ``ActorStation``; effects that are under way keep it, but not the station itself.
actor StationHost<State, Action: Sendable> {
    private let core: StationCore<State, Action>

    init(_ makeCore: () -> sending StationCore<State, Action>, lifetime: Lifetime) {
        core = makeCore()
        lifetime.attach(self)
    }

    func pour(_ action: Action) -> PourTask {
        core.pour(action)
    }

    func read<Value: Sendable>(_ body: @Sendable (State) -> Value) -> Value {
        body(core.state)
    }
}
