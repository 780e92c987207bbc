// SPDX-License-Identifier: Apache-2.0

/// An optional type, which resolves to an object of the wrapped type, or to `nil` if that type isn't registered.
protocol OptionalDependency {
    /// The wrapped type.
    static var wrapped: Any.Type { get }

    /// Returns the object that `resolver` has for the wrapped type, or `nil`.
    static func resolveWrapped(by resolver: any DependencyResolver) -> Self
}

extension Optional: OptionalDependency {
    static var wrapped: Any.Type { Wrapped.self }

    static func resolveWrapped(by resolver: any DependencyResolver) -> Self {
        resolver.tryResolve(Wrapped.self)
    }
}
