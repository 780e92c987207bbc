//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Reads what a key path names from the container that is current.
///
/// Name what is injected once, for containers and scopes alike, and use it anywhere:
///
/// ```swift
/// extension DependencyResolver {
///     var counterStore: CounterStore { resolve() }
/// }
///
/// struct CounterModel {
///     @Inject(\.counterStore) var store: CounterStore
/// }
/// ```
///
/// It is resolved at each access, from ``Container/current``: what `withCurrent(_:)` has
/// set for the task, or else what ``Container/install()`` has installed for the process. A singleton is the same each
/// time, a transient object is not.
///
/// The macro of the same name in `HeadraceMacros` takes its place where both are imported, and stands everywhere. A
/// wrapper stores its key path, so it does not stand in a protocol extension, nor in a final class that is
/// `Sendable` (the compiler takes the storage of every wrapper for mutable). There it is the macro, or a line that
/// resolves the same:
///
/// ```swift
/// extension CounterStoreAction {
///     var store: CounterStore { Container.current.counterStore }
/// }
/// ```
@propertyWrapper
public struct Inject<Value>: Sendable {
    private let keyPath: any KeyPath<any DependencyResolutionScope, Value> & Sendable

    /// Injects what `keyPath` names.
    public init(_ keyPath: any KeyPath<any DependencyResolutionScope, Value> & Sendable) {
        self.keyPath = keyPath
    }

    /// What the key path names, resolved now.
    ///
    /// - Precondition: A container is current, see ``Container/current``.
    public var wrappedValue: Value {
        Container.current[keyPath: keyPath]
    }
}
