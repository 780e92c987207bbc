// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// An object whose state is changed by actions, which run one at a time, in the order dispatched.
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
/// An actor, a class of the main actor, or any other `Sendable` class can be a dispatcher. Each dispatcher needs its own
/// ``Pipeline``, and the pipeline must be a constant, because synchronous code outside of the actor reads it to queue
/// actions. `middlewares` may be a variable of the actor. An action starts after the previous action has ended, even if the
/// previous action is suspended several times. An actor alone doesn't guarantee that, because actors are re-entrant.
///
/// If an action awaits another action of the same dispatcher, the inner action runs in place, because waiting for its turn
/// would be a deadlock. Actions that are dispatched by tasks of a running action run in place too, one at a time, and end
/// before the next action starts. To run an action after the current action, call ``queue(_:)``.
public protocol Dispatcher: AnyObject, Sendable {
    /// The queue of the actions.
    ///
    /// Each dispatcher has its own pipeline, which is a constant.
    nonisolated var pipeline: Pipeline { get }

    /// The middleware around each action, the outermost first.
    ///
    /// The default is an empty array.
    ///
    /// It may be a constant, or a variable that belongs to the actor of the dispatcher. It is read at the start of each
    /// action.
    nonisolated var middlewares: [any Middleware] { get async }

    /// Whether an action is being executed.
    ///
    /// Every dispatcher has this property already. It is a requirement so that the compiler rejects a stored
    /// `var isDispatching` of an actor or of a main-actor class, which would never change.
    nonisolated var isDispatching: Bool { get }
}

extension Dispatcher {
    /// An empty array.
    @inlinable public nonisolated var middlewares: [any Middleware] { [] }
}
