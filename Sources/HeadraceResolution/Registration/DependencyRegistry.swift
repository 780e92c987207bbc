// SPDX-License-Identifier: Apache-2.0

/// Collects registrations: which types can be resolved, how they are created, and how long they are kept.
///
/// There are seven forms, each for `transient`, `scoped` and `singleton`:
///
/// ```swift
/// builder.singleton { SystemClock() }                              // a closure
/// builder.singleton { scope in Cache(clock: scope.resolve()) }     // a closure with its scope
/// builder.singleton((any Clock).self) { SystemClock() }            // a contract and a closure
/// builder.singleton((any Store).self) { DiskStore($0.resolve()) }  // a contract and a closure with its scope
/// builder.singleton((any Clock).self, assigned(SystemClock.self))  // a contract and a registered type
/// builder.singleton(Cache.self)                                    // a `Resolvable` type
/// builder.singleton((any Store).self, assigned(DiskStore.self))    // a contract and a `Resolvable` type
/// ```
///
/// Shared objects must be `Sendable`, and the compiler checks it, because any task that has the container can reach
/// singletons and scoped objects. A transient object belongs to its caller and doesn't have to be `Sendable`.
///
/// A shared object may keep the scope that its factory received. That doesn't keep the container alive, so the objects of a
/// container end with it. Keep the container, or a scope that it opened, as long as you use such an object.
///
/// The last registration of a type wins.
public protocol DependencyRegistry {
    /// Records `registration`, replacing an earlier one of the same contract.
    func register(_ registration: Registration)
}
