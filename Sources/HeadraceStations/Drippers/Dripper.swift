// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// A reducer: it changes the state when an action is poured, and returns the effects of the action.
///
/// ```swift
/// struct Counter: Dripper {
///     @Observable final class State {
///         var count = 0
///     }
///
///     enum Action { case increase, decrease }
///
///     var body: some Dripper<State, Action> {
///         Drip { state, action in
///             switch action {
///             case .increase: state.count += 1
///             case .decrease: state.count -= 1
///             }
///             return .none
///         }
///     }
/// }
/// ```
///
/// The state is a class or a struct. It doesn't need to be `Sendable` because it never leaves the actor of its station.
/// A ``Station`` or an ``ActorStation`` reads ``body`` once, in its initializer.
public protocol Dripper<State, Action> {
    /// The state that the dripper changes.
    associatedtype State

    /// The events to which the dripper reacts, usually an enumeration.
    associatedtype Action: Sendable

    /// The type of ``body``.
    associatedtype Body

    /// The parts of the dripper, which reduce each action one after the other, in this order.
    ///
    /// It can contain any number of parts, and `if`, `switch`, and `for`. Conditions are evaluated once, in the
    /// initializer of the station.
    @DripperBuilder<State, Action> var body: Body { get }
}

extension Dripper where Body == Never {
    /// Never called, because a dripper without a body has no parts.
    public var body: Never {
        preconditionFailure(
            """
            '\(String(naming: Self.self))' has no body. To fix, add a 'body' that contains drippers, such as 'Drip' \
            and 'Scope'.
            """
        )
    }
}

/// A dripper with the state and the action of `D`, as in `var body: some DripperOf<Self>`.
public typealias DripperOf<D: Dripper> = Dripper<D.State, D.Action>
