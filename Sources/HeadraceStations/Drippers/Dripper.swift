//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// Changes state when an action is poured, and says what is to be done besides.
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
/// The state is a class or a struct; it need not be `Sendable`, since it never leaves the actor of its station. A
/// ``Station`` or an ``ActorStation`` reads ``body`` once, when it is made.
public protocol Dripper<State, Action> {
    /// What is changed.
    associatedtype State

    /// What happens, as a value.
    associatedtype Action: Sendable

    /// What ``body`` is made of.
    associatedtype Body

    /// The parts that see each action one after the other, in the order in which they stand here.
    ///
    /// It may have any number of parts, and `if`, `switch` and `for`, which are decided when the station is made.
    @DripperBuilder<State, Action> var body: Body { get }
}

extension Dripper where Body == Never {
    /// Is never called: what has no body is made of nothing else.
    public var body: Never {
        preconditionFailure(
            """
            '\(String(naming: Self.self))' has no body. To fix, give it a 'body' of drippers, or compose it of \
            'Drip' and 'Scope'.
            """
        )
    }
}

/// Any dripper with the state and the action of `D`: `var body: some DripperOf<Self>`.
public typealias DripperOf<D: Dripper> = Dripper<D.State, D.Action>
