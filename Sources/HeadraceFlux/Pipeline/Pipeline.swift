//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// Where the actions of one dispatcher wait for their turn.
public final class Pipeline: Sendable {
    let line: ActionLine
    let observers: [any MessageObserver]
    let clock: any TimeSource

    /// Creates a pipeline, active and empty.
    ///
    /// - Parameters:
    ///   - limit: How many actions may wait, the one that is being executed not included; as many as come where it is
    ///     `nil`.
    ///   - overflow: What happens where one more comes.
    ///   - observers: What is told of each action.
    ///   - clock: Tells when the deadline of an action has passed and how long it took.
    public init(
        limit: Int? = nil,
        overflow: Overflow = .suspend,
        observers: [any MessageObserver] = [],
        clock: any TimeSource = ContinuousClock()
    ) {
        line = ActionLine(limit: limit, overflow: overflow)
        self.observers = observers
        self.clock = clock
    }

    /// How many actions wait.
    public var waitingCount: Int { line.waitingCount }

    /// Returns when at least this many actions wait.
    package func waitsFor(_ count: Int) async {
        await line.waiting(count)
    }
}
