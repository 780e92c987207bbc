//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Takes registrations: which types can be resolved, how they are made, and how long they are kept.
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
/// What is shared must be `Sendable`, and the compiler checks it: singletons and scoped objects are
/// reached by whoever has the container. Transient objects belong to who resolved them and need not be.
///
/// A shared object may keep the scope that its factory was given: that does not keep the container alive, so
/// what the container made goes with it. Whoever uses such an object keeps the container, or a scope it opened.
///
/// The last registration of a type wins.
public protocol DependencyRegistry {
    /// Records `registration`, replacing an earlier one of the same contract.
    func register(_ registration: Registration)
}
