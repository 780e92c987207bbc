//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Something that was done or is to be done, as a value: what a service tree reacts to and what a dispatcher executes.
///
/// For a tree of services it is a marker, and the services know what to do:
///
/// ```swift
/// enum IdentityAction: Action { case logIn(name: String), logOut }
/// ```
///
/// For a flux dispatcher it carries its own behaviour:
///
/// ```swift
/// struct Increment: Action {
///     var value = 1
///
///     func execute(with store: CounterStore) async { await store.add(value) }
/// }
/// ```
///
/// The dispatcher and the error are found out from ``execute(with:)``. It may be isolated to whatever the dispatcher
/// is: `@MainActor func execute(with:)`, or `execute(with store: isolated CounterStore)` where that is an actor.
public protocol Action<Dispatcher, Failure>: Sendable {
    /// What executes the action; `Never` for one that services react to.
    associatedtype Dispatcher: Sendable = Never

    /// What ``execute(with:)`` throws; `Never` where it does not.
    associatedtype Failure: Error = Never

    /// Does what the action stands for.
    ///
    /// - Throws: Whatever keeps it from being done; whoever awaits the action gets it unwrapped.
    nonisolated(nonsending) func execute(with dispatcher: Dispatcher) async throws(Failure)
}

extension Action where Dispatcher == Never, Failure == Never {
    /// Is never called: services react to the action.
    public nonisolated(nonsending) func execute(with dispatcher: Never) async {}
}
