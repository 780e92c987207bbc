// SPDX-License-Identifier: Apache-2.0

/// An action as a value, handled by the services of a service tree or executed by a flux dispatcher.
///
/// For a service tree, the protocol is a marker:
///
/// ```swift
/// enum IdentityAction: Action { case logIn(name: String), logOut }
/// ```
///
/// For a flux dispatcher, an action implements its own behaviour:
///
/// ```swift
/// struct Increment: Action {
///     var value = 1
///
///     func execute(with store: CounterStore) async { await store.add(value) }
/// }
/// ```
///
/// The compiler infers both associated types from ``execute(with:)``. The method can have the isolation of its
/// dispatcher: `@MainActor func execute(with:)`, or `execute(with store: isolated CounterStore)` if the dispatcher is
/// an actor.
public protocol Action<Dispatcher, Failure>: Sendable {
    /// The type that executes the action; `Never` for actions of service trees.
    associatedtype Dispatcher: Sendable = Never

    /// The type of error that ``execute(with:)`` throws; `Never` if it doesn't throw.
    associatedtype Failure: Error = Never

    /// Executes the action.
    ///
    /// - Throws: The reason why the action failed. A caller that awaits the action receives the error unwrapped.
    nonisolated(nonsending) func execute(with dispatcher: Dispatcher) async throws(Failure)
}

extension Action where Dispatcher == Never, Failure == Never {
    /// Never called: the handlers of a service tree implement the behaviour.
    public nonisolated(nonsending) func execute(with dispatcher: Never) async {}
}
