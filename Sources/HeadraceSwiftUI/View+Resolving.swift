// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import HeadraceResolution
public import SwiftUI

extension EnvironmentValues {
    /// The scope that views resolve from; `resolving(from:)` sets it.
    ///
    /// If no view sets a scope, resolving stops the program with a message that names the type and the fix.
    @Entry public var scope: any DependencyResolutionScope = MissingScope()
}

extension View {
    /// Sets the scope from which this view and the views within it resolve.
    ///
    /// ```swift
    /// RootView().resolving(from: container)
    /// ```
    public func resolving(from scope: any DependencyResolutionScope) -> some View {
        environment(\.scope, scope)
    }
}

/// The default scope of the environment, which reports that no scope is set.
private final class MissingScope: DependencyResolutionScope {
    func tryResolve<T>(_ type: T.Type) -> T? { nil }

    func resolve<T>(_ type: T.Type) -> T {
        preconditionFailure(
            """
            A view resolves '\(String(reflecting: type))', but its environment has no scope. To fix, add \
            '.resolving(from: container)' to the view or to a view around it.
            """
        )
    }

    func scope() -> any DependencyResolutionScope { self }
}
#endif
