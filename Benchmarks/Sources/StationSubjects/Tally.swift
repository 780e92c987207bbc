//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceStations

/// A dripper whose actions cost next to nothing.
public struct Tally: Dripper {
    /// A class, as the state of a view would be, without the cost of observation.
    public final class State {
        /// How many actions there were.
        public var count = 0

        /// Creates a state.
        public init() {}
    }

    /// What there is to do.
    public enum Action: Sendable {
        /// Adds one.
        case add

        /// Adds one, and sends ``add``.
        case addTwice

        /// Adds one, and starts an effect that pours ``add``.
        case addLater
    }

    /// Creates a dripper.
    public init() {}

    /// Adds one, and does what the action says besides.
    public var body: some Dripper<State, Action> {
        Drip { state, action in
            state.count &+= 1
            switch action {
            case .add: return .none
            case .addTwice: return .send(.add)
            case .addLater: return .run { pour in pour(.add) }
            }
        }
    }
}

/// What one would write by hand: an object, and a closure that changes it.
public final class HandWrittenTally {
    /// How many calls there were.
    public var count = 0

    /// Adds one.
    public var add: (HandWrittenTally) -> Void

    /// Creates a tally; the closure comes from a function that the optimiser does not see into.
    @inline(never)
    public init(_ add: @escaping (HandWrittenTally) -> Void) {
        self.add = add
    }

    /// A tally that adds one.
    @inline(never)
    public static func make() -> HandWrittenTally {
        HandWrittenTally { $0.count &+= 1 }
    }
}
