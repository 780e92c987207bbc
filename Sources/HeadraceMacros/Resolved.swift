//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
/// What is registered as transient is made anew each time, so register what a view holds on to as scoped.
///
/// Restrictions: it belongs on a `var` with a type and without a value, in a type with a property
/// `scope` that is a `DependencyResolver`; ``ResolvedScope()`` adds one to a view.
@attached(accessor)
public macro Resolved() = #externalMacro(module: "HeadraceMacrosPlugin", type: "ResolvedMacro")
#endif
