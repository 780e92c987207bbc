// SPDX-License-Identifier: Apache-2.0

/// An array type, which resolves to the set of its elements.
protocol SetDependency {
    /// The type of the elements.
    static var element: Any.Type { get }

    /// Returns the members of the set that `resolver` has for the elements.
    static func resolveMembers(by resolver: any DependencyResolver) -> Self
}

extension Array: SetDependency {
    static var element: Any.Type { Element.self }

    static func resolveMembers(by resolver: any DependencyResolver) -> Self {
        resolver.resolveAll(Element.self)
    }
}
