// SPDX-License-Identifier: Apache-2.0

#if Macros
public import HeadraceResolution

/// Reads the property that a key path names from the current container. It works in protocol extensions as well.
///
/// ```swift
/// extension DependencyResolver {
///     var counterStore: CounterStore { resolve() }
/// }
///
/// extension CounterStoreAction {
///     @Inject(\.counterStore) var store: CounterStore
/// }
/// ```
///
/// expands the property to
///
/// ```swift
/// var store: CounterStore {
///     get {
///         HeadraceResolution.Inject(\.counterStore).wrappedValue
///     }
/// }
/// ```
///
/// If a file imports both, the macro replaces the property wrapper of the same name. It resolves the same object, at each
/// access. It stores nothing, so it works where a wrapper doesn't: in extensions and in final classes that are `Sendable`.
/// The property isn't a parameter of a memberwise initializer.
///
/// Restrictions:
///
/// - The file imports `HeadraceResolution` as well, or `Headrace` instead of both.
/// - The property is a `var` with a type and without a value.
@attached(accessor, names: named(get))
public macro Inject<Value>(
    _ keyPath: any KeyPath<any DependencyResolutionScope, Value> & Sendable
) = #externalMacro(module: "HeadraceMacrosPlugin", type: "InjectMacro")
#endif
