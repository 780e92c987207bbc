//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// Holds state that actions change, one after the other, in the order dispatched.
///
/// ```swift
/// actor CounterStore: Dispatcher {
///     let pipeline = Pipeline()
///     var count = 0
/// }
///
/// struct Increment: Action {
///     var value = 1
///
///     func execute(with store: isolated CounterStore) async { store.count += value }
/// }
///
/// async let one = store.dispatch(Increment())
/// async let ten = store.dispatch(Increment(value: 10))
/// _ = await [one, ten]
/// ```
///
/// An actor, a class of the main actor or any other class that is safe to share is a dispatcher when it has a
/// ``Pipeline`` of its own. The pipeline is a constant: actions can be queued from anywhere, without waiting, so code outside
/// of the actor must be able to read it. `middlewares` may be a variable of the actor. No action begins before the one before
/// it has ended, however often that one is suspended; an actor alone does not give that.
///
/// An action that awaits another one of the same dispatcher has it executed in place, within itself: it would wait for
/// itself otherwise. So have the tasks that it starts, as long as it is being executed, one after the other: what they
/// dispatch belongs to the action, and ends before the next one begins. What an action wants done after it, it gives to
/// ``queue(_:)``.
public protocol Dispatcher: AnyObject, Sendable {
    /// The queue of the actions; one for each dispatcher, and a constant.
    nonisolated var pipeline: Pipeline { get }

    /// The middleware around each action, the outermost first; none unless stated.
    ///
    /// It may be a constant or a variable that belongs to the actor of the dispatcher. It is read when the turn of an action
    /// has come.
    nonisolated var middlewares: [any Middleware] { get async }

    /// Whether an action is being executed.
    ///
    /// The dispatcher has it already. It is a requirement only so that the compiler rejects a stored `var isDispatching` of an
    /// actor or of a main-actor class, which would never change.
    nonisolated var isDispatching: Bool { get }
}

extension Dispatcher {
    /// None.
    @inlinable public nonisolated var middlewares: [any Middleware] { [] }
}
