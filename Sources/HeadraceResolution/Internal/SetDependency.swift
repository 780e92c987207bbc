//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What an array type resolves to where it is not registered itself: all that joins the set of its elements.
protocol SetDependency {
    /// The type of the elements.
    static var element: Any.Type { get }

    /// Gives all that joins the set of the elements, or `nil` where they have no set.
    static func resolveMembers(from scope: ResolutionScope, given: any DependencyResolutionScope) -> Self?
}

extension Array: SetDependency {
    static var element: Any.Type { Element.self }

    static func resolveMembers(from scope: ResolutionScope, given: any DependencyResolutionScope) -> Self? {
        scope.members(of: Element.self, given: given)
    }
}
