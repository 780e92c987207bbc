// SPDX-License-Identifier: Apache-2.0

/// Reads a property of the current container.
///
/// Name the property once, for containers and scopes, and use it anywhere:
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
/// Each access resolves the property from ``Container/current``: the container of `withCurrent(_:)` for the task, or else
/// the container of ``Container/install()`` for the process. A singleton is the same object each time, a transient object
/// is a new one.
///
/// If a file imports `HeadraceMacros` as well, the macro of the same name replaces this wrapper. The macro works everywhere.
/// A wrapper stores its key path, so it doesn't work in a protocol extension, nor in a final class that is `Sendable` (the
/// compiler assumes that the storage of a wrapper is mutable). There, use the macro, or a line that resolves the same:
///
/// ```swift
/// extension CounterStoreAction {
///     var store: CounterStore { Container.current.counterStore }
/// }
/// ```
@propertyWrapper
public struct Inject<Value>: Sendable {
    private let keyPath: any KeyPath<any DependencyResolutionScope, Value> & Sendable

    /// Injects the property that `keyPath` names.
    public init(_ keyPath: any KeyPath<any DependencyResolutionScope, Value> & Sendable) {
        self.keyPath = keyPath
    }

    /// The property of the current container, resolved now.
    ///
    /// - Precondition: A container is current, see ``Container/current``.
    public var wrappedValue: Value {
        Container.current[keyPath: keyPath]
    }
}
