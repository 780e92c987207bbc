// SPDX-License-Identifier: Apache-2.0

#if Macros
/// Resolves a property from the `scope` of its type, each time it is read.
///
/// ```swift
/// @ResolvedScope
/// struct RootView: View {
///     @Resolved private var dispatcher: any CommandQueryDispatcher
/// }
/// ```
///
/// makes the property
///
/// ```swift
/// private var dispatcher: any CommandQueryDispatcher {
///     get {
///         scope.resolve()
///     }
/// }
/// ```
///
/// A transient object is a new one at each access, so register an object that a view keeps as scoped.
///
/// Restrictions: attach it to a `var` with a type and without a value, in a type with a property `scope` that is a
/// `DependencyResolver`. ``ResolvedScope()`` adds this property to a view.
@attached(accessor)
public macro Resolved() = #externalMacro(module: "HeadraceMacrosPlugin", type: "ResolvedMacro")
#endif
