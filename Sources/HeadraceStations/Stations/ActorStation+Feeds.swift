//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension ActorStation where State: Sendable {
    /// The state now, and again after each action that changes it.
    ///
    /// It ends when the station is released.
    ///
    /// - Parameter limit: How many elements are held; where it is full, the oldest goes, so that the last is never lost.
    /// - Returns: The states, for one listener.
    public func states(limit: Int = 64) async -> some AsyncSequence<State, Never> & Sendable {
        await host.states(limit: limit)
    }
}

extension ActorStation {
    /// Each action that is reduced, and which properties it has changed; it ends when the station is released.
    ///
    /// - Parameter limit: How many elements are held; where it is full, the oldest goes.
    /// - Returns: The reductions, for one listener.
    public func changes(limit: Int = 64) async -> some AsyncSequence<Reduction<Action>, Never> & Sendable {
        await host.changes(limit: limit)
    }
}

extension ActorStation {
    /// All properties of the state as they are now, each as one that was nothing before.
    package var properties: [StateChange] {
        get async { await host.properties }
    }
}
