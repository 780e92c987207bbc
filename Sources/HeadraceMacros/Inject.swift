//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Macros
public import HeadraceResolution

/// Reads what a key path names from the container that is current, in protocol extensions as well.
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
/// It takes the place of the property wrapper of the same name wherever both are imported, and resolves the same, at
/// each access. It stores nothing, and so stands where a wrapper cannot: in extensions and in final classes
/// that are `Sendable`. A memberwise initializer does not take it.
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
