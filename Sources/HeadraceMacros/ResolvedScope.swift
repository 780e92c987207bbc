// SPDX-License-Identifier: Apache-2.0

#if Macros
/// Adds the scope of the environment to a SwiftUI view, for its ``Resolved()`` properties.
///
/// ```swift
/// @ResolvedScope
/// struct RootView: View {
///     @Resolved private var dispatcher: any CommandQueryDispatcher
/// }
/// ```
///
/// adds
///
/// ```swift
/// @SwiftUI.Environment(\.scope) private var scope
/// ```
///
/// `View.resolving(from:)` of `HeadraceSwiftUI` sets the scope for a view and its subviews.
///
/// Restrictions: attach it to a structure, in a file that imports `SwiftUI` and `HeadraceSwiftUI`.
@attached(member, names: named(scope))
public macro ResolvedScope() = #externalMacro(module: "HeadraceMacrosPlugin", type: "ResolvedScopeMacro")
#endif
