//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Station {
    /// The state now, and again after each action that changes it; see ``states(limit:)``.
    public var states: Feed<State> { states(limit: 64) }

    /// The state now, and again after each action that changes it.
    ///
    /// Where the state is an object, each element is that object, as it is when the element is taken.
    ///
    /// - Parameter limit: How many elements each iterator holds; where it is full, the oldest goes.
    /// - Returns: A feed, which ends when the station is released.
    public func states(limit: Int) -> Feed<State> {
        Feed(core, limit: limit) { core, take in core.subscribe(by: take) }
    }

    /// A property of the state now, and again whenever it is another one.
    ///
    /// - Parameters:
    ///   - property: Which.
    ///   - limit: How many elements each iterator holds; where it is full, the oldest goes.
    /// - Returns: A feed, which ends when the station is released.
    public func states<Value: Equatable>(of property: KeyPath<State, Value>, limit: Int = 64) -> Feed<Value> {
        Feed(core, limit: limit) { core, take in core.subscribe(to: property, by: take) }
    }

    /// Each action that is reduced, and which properties it has changed, old and new; see ``changes(limit:)``.
    public var changes: Feed<Reduction<Action>> { changes(limit: 64) }

    /// Each action that is reduced, and which properties it has changed, old and new.
    ///
    /// ```swift
    /// for await reduction in station.changes { print(reduction) }
    /// ```
    ///
    /// While nobody listens, it costs nothing.
    ///
    /// - Parameter limit: How many elements each iterator holds; where it is full, the oldest goes.
    /// - Returns: A feed, which ends when the station is released.
    public func changes(limit: Int) -> Feed<Reduction<Action>> {
        Feed(core, limit: limit) { core, take in core.subscribeToChanges(by: take) }
    }
}

extension Station {
    /// All properties of the state as they are now, each as one that was nothing before.
    package var properties: [StateChange] { core.properties }
}
