// SPDX-License-Identifier: Apache-2.0

extension ActorStation where State: Sendable {
    /// The current state, followed by the state after each action that changes it.
    ///
    /// - Parameter limit: Maximum number of buffered elements. If the buffer is full, the oldest element is dropped, so
    ///   the last element is never lost.
    /// - Returns: The states, for one consumer. The sequence ends when the station is released.
    public func states(limit: Int = 64) async -> some AsyncSequence<State, Never> & Sendable {
        await host.states(limit: limit)
    }
}

extension ActorStation {
    /// Each reduced action, with the properties that it has changed.
    ///
    /// - Parameter limit: Maximum number of buffered elements. If the buffer is full, the oldest element is dropped.
    /// - Returns: The reductions, for one consumer. The sequence ends when the station is released.
    public func changes(limit: Int = 64) async -> some AsyncSequence<Reduction<Action>, Never> & Sendable {
        await host.changes(limit: limit)
    }
}

extension ActorStation {
    /// Names of the subscriptions that haven't ended, in alphabetical order.
    package var subscriptionNames: [String] {
        get async { await host.subscriptionNames }
    }
}
