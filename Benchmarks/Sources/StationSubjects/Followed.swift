// SPDX-License-Identifier: Apache-2.0

public import HeadraceStations

/// The state of a counter whose changes are followed.
public struct Followed {
    /// Number of actions.
    public var count = 0

    /// The count of the last reaction.
    public var seen = 0

    /// Creates a state.
    public init() {}
}

/// A counter with a reaction to each change of the count.
public struct ReactingTally: Dripper {
    /// The state of the dripper.
    public typealias State = Followed

    /// The only action.
    public typealias Action = Void

    /// Creates a dripper.
    public init() {}

    /// Increments the count, and copies it in a reaction.
    public var body: some Dripper<Followed, Void> {
        Drip<Followed, Void> { state, _ in
            state.count &+= 1
            return .none
        }
        .onChange(of: \.count) { state, _, new in
            state.seen = new
            return .none
        }
    }
}
