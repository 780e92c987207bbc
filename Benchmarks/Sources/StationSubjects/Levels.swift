// SPDX-License-Identifier: Apache-2.0

public import HeadraceStations

// Ten levels, each written out as in a program. Types that are created at run time would distort the measurement.

/// The innermost level: a number to which actions add.
public struct Level0: Dripper {
    /// Creates a dripper.
    public init() {}

    /// Adds the action to the state.
    public var body: some Dripper<Int, Int> {
        Drip { state, action in
            state &+= action
            return .none
        }
    }

    /// The sum.
    public typealias State = Int

    /// The number to add.
    public typealias Action = Int

    /// The state before the first action.
    public static let initial = 0

    /// An action for the innermost level.
    public static let action = 1
}

/// A parent of `Level0`.
public struct Level1: Dripper {
    /// The state of the child.
    public struct State {
        var inner = Level0.initial

        /// Creates a state.
        public init() {}
    }

    /// The actions of the child.
    public enum Action: Sendable {
        /// An action for the child.
        case inner(Level0.Action)
    }

    /// Creates a dripper.
    public init() {}

    /// Routes to the child.
    public var body: some Dripper<State, Action> {
        Scope(
            state: \.inner,
            action: Case(Action.inner) { if case .inner(let action) = $0 { action } else { nil } }
        ) { Level0() }
    }

    /// An action for the innermost level.
    public static let action = Action.inner(Level0.action)
}

/// A parent of `Level1`.
public struct Level2: Dripper {
    /// The state of the child.
    public struct State {
        var inner = Level1.State()

        /// Creates a state.
        public init() {}
    }

    /// The actions of the child.
    public enum Action: Sendable {
        /// An action for the child.
        case inner(Level1.Action)
    }

    /// Creates a dripper.
    public init() {}

    /// Routes to the child.
    public var body: some Dripper<State, Action> {
        Scope(
            state: \.inner,
            action: Case(Action.inner) { if case .inner(let action) = $0 { action } else { nil } }
        ) { Level1() }
    }

    /// An action for the innermost level.
    public static let action = Action.inner(Level1.action)
}

/// A parent of `Level2`.
public struct Level3: Dripper {
    /// The state of the child.
    public struct State {
        var inner = Level2.State()

        /// Creates a state.
        public init() {}
    }

    /// The actions of the child.
    public enum Action: Sendable {
        /// An action for the child.
        case inner(Level2.Action)
    }

    /// Creates a dripper.
    public init() {}

    /// Routes to the child.
    public var body: some Dripper<State, Action> {
        Scope(
            state: \.inner,
            action: Case(Action.inner) { if case .inner(let action) = $0 { action } else { nil } }
        ) { Level2() }
    }

    /// An action for the innermost level.
    public static let action = Action.inner(Level2.action)
}

/// A parent of `Level3`.
public struct Level4: Dripper {
    /// The state of the child.
    public struct State {
        var inner = Level3.State()

        /// Creates a state.
        public init() {}
    }

    /// The actions of the child.
    public enum Action: Sendable {
        /// An action for the child.
        case inner(Level3.Action)
    }

    /// Creates a dripper.
    public init() {}

    /// Routes to the child.
    public var body: some Dripper<State, Action> {
        Scope(
            state: \.inner,
            action: Case(Action.inner) { if case .inner(let action) = $0 { action } else { nil } }
        ) { Level3() }
    }

    /// An action for the innermost level.
    public static let action = Action.inner(Level3.action)
}

/// A parent of `Level4`.
public struct Level5: Dripper {
    /// The state of the child.
    public struct State {
        var inner = Level4.State()

        /// Creates a state.
        public init() {}
    }

    /// The actions of the child.
    public enum Action: Sendable {
        /// An action for the child.
        case inner(Level4.Action)
    }

    /// Creates a dripper.
    public init() {}

    /// Routes to the child.
    public var body: some Dripper<State, Action> {
        Scope(
            state: \.inner,
            action: Case(Action.inner) { if case .inner(let action) = $0 { action } else { nil } }
        ) { Level4() }
    }

    /// An action for the innermost level.
    public static let action = Action.inner(Level4.action)
}

/// A parent of `Level5`.
public struct Level6: Dripper {
    /// The state of the child.
    public struct State {
        var inner = Level5.State()

        /// Creates a state.
        public init() {}
    }

    /// The actions of the child.
    public enum Action: Sendable {
        /// An action for the child.
        case inner(Level5.Action)
    }

    /// Creates a dripper.
    public init() {}

    /// Routes to the child.
    public var body: some Dripper<State, Action> {
        Scope(
            state: \.inner,
            action: Case(Action.inner) { if case .inner(let action) = $0 { action } else { nil } }
        ) { Level5() }
    }

    /// An action for the innermost level.
    public static let action = Action.inner(Level5.action)
}

/// A parent of `Level6`.
public struct Level7: Dripper {
    /// The state of the child.
    public struct State {
        var inner = Level6.State()

        /// Creates a state.
        public init() {}
    }

    /// The actions of the child.
    public enum Action: Sendable {
        /// An action for the child.
        case inner(Level6.Action)
    }

    /// Creates a dripper.
    public init() {}

    /// Routes to the child.
    public var body: some Dripper<State, Action> {
        Scope(
            state: \.inner,
            action: Case(Action.inner) { if case .inner(let action) = $0 { action } else { nil } }
        ) { Level6() }
    }

    /// An action for the innermost level.
    public static let action = Action.inner(Level6.action)
}

/// A parent of `Level7`.
public struct Level8: Dripper {
    /// The state of the child.
    public struct State {
        var inner = Level7.State()

        /// Creates a state.
        public init() {}
    }

    /// The actions of the child.
    public enum Action: Sendable {
        /// An action for the child.
        case inner(Level7.Action)
    }

    /// Creates a dripper.
    public init() {}

    /// Routes to the child.
    public var body: some Dripper<State, Action> {
        Scope(
            state: \.inner,
            action: Case(Action.inner) { if case .inner(let action) = $0 { action } else { nil } }
        ) { Level7() }
    }

    /// An action for the innermost level.
    public static let action = Action.inner(Level7.action)
}

/// A parent of `Level8`.
public struct Level9: Dripper {
    /// The state of the child.
    public struct State {
        var inner = Level8.State()

        /// Creates a state.
        public init() {}
    }

    /// The actions of the child.
    public enum Action: Sendable {
        /// An action for the child.
        case inner(Level8.Action)
    }

    /// Creates a dripper.
    public init() {}

    /// Routes to the child.
    public var body: some Dripper<State, Action> {
        Scope(
            state: \.inner,
            action: Case(Action.inner) { if case .inner(let action) = $0 { action } else { nil } }
        ) { Level8() }
    }

    /// An action for the innermost level.
    public static let action = Action.inner(Level8.action)
}

/// A parent of `Level9`.
public struct Level10: Dripper {
    /// The state of the child.
    public struct State {
        var inner = Level9.State()

        /// Creates a state.
        public init() {}
    }

    /// The actions of the child.
    public enum Action: Sendable {
        /// An action for the child.
        case inner(Level9.Action)
    }

    /// Creates a dripper.
    public init() {}

    /// Routes to the child.
    public var body: some Dripper<State, Action> {
        Scope(
            state: \.inner,
            action: Case(Action.inner) { if case .inner(let action) = $0 { action } else { nil } }
        ) { Level9() }
    }

    /// An action for the innermost level.
    public static let action = Action.inner(Level9.action)
}
