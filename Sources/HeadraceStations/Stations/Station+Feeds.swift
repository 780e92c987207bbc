// SPDX-License-Identifier: Apache-2.0

extension Station {
    /// The current state, followed by the state after each action that changes it; see ``states(limit:)``.
    public var states: Feed<State> { states(limit: 64) }

    /// The current state, followed by the state after each action that changes it.
    ///
    /// If the state is an object, each element is that same object, so it has its current properties.
    ///
    /// - Parameter limit: Maximum number of elements in the buffer of an iterator. If the buffer is full, the oldest
    ///   element is dropped.
    /// - Returns: A feed, which ends when the station is released.
    public func states(limit: Int) -> Feed<State> {
        Feed(core, limit: limit) { core, take in core.subscribe(by: take) }
    }

    /// The current value of a property, followed by each new value.
    ///
    /// - Parameters:
    ///   - property: Key path of the property.
    ///   - limit: Maximum number of elements in the buffer of an iterator. If the buffer is full, the oldest element is
    ///     dropped.
    /// - Returns: A feed, which ends when the station is released.
    public func states<Value: Equatable>(of property: KeyPath<State, Value>, limit: Int = 64) -> Feed<Value> {
        Feed(core, limit: limit) { core, take in core.subscribe(to: property, by: take) }
    }

    /// Each reduced action, with the properties that it has changed; see ``changes(limit:)``.
    public var changes: Feed<Reduction<Action>> { changes(limit: 64) }

    /// Each reduced action, with the properties that it has changed.
    ///
    /// ```swift
    /// for await reduction in station.changes { print(reduction) }
    /// ```
    ///
    /// It costs nothing while no iterator exists.
    ///
    /// - Parameter limit: Maximum number of elements in the buffer of an iterator. If the buffer is full, the oldest
    ///   element is dropped.
    /// - Returns: A feed, which ends when the station is released.
    public func changes(limit: Int) -> Feed<Reduction<Action>> {
        Feed(core, limit: limit) { core, take in core.subscribeToChanges(by: take) }
    }
}

extension Station {
    /// Names of the subscriptions that haven't ended, in alphabetical order.
    package var subscriptionNames: [String] { core.subscriptionNames }
}
