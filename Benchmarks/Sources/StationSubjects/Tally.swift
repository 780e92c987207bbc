// SPDX-License-Identifier: Apache-2.0

public import HeadraceStations

/// A dripper with actions that cost almost nothing.
public struct Tally: Dripper {
    /// A class, like the state of a view, without the cost of observation.
    public final class State {
        /// Number of actions.
        public var count = 0

        /// Creates a state.
        public init() {}
    }

    /// The actions of the dripper.
    public enum Action: Sendable {
        /// Increments the count.
        case add

        /// Increments the count, and sends ``add``.
        case addTwice

        /// Increments the count, and starts an effect that pours ``add``.
        case addLater
    }

    /// Creates a dripper.
    public init() {}

    /// Increments the count, and runs the effect of the action.
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

/// A hand-written equivalent: an object, and a closure that changes it.
public final class HandWrittenTally {
    /// Number of calls.
    public var count = 0

    /// Increments the count.
    public var add: (HandWrittenTally) -> Void

    /// Creates a tally.
    ///
    /// The closure comes from a function that the optimizer cannot inline.
    @inline(never)
    public init(_ add: @escaping (HandWrittenTally) -> Void) {
        self.add = add
    }

    /// Creates a tally that increments its count.
    @inline(never)
    public static func make() -> HandWrittenTally {
        HandWrittenTally { $0.count &+= 1 }
    }
}
