// SPDX-License-Identifier: Apache-2.0

/// A resolver that shares some objects for a limited time.
///
/// Open a scope for a piece of work whose objects belong together: a request, a window, a dispatch. A scope ends with its
/// last reference; nothing needs to be closed. It is a class, because a scope has an identity, and because every factory
/// and every handler receives one: passing a reference takes two words and no allocation.
public protocol DependencyResolutionScope: AnyObject, DependencyResolver, Sendable {
    /// Opens a scope that shares the singletons of this scope and has its own scoped objects.
    ///
    /// - Complexity: O(1) in the number of registrations.
    func scope() -> any DependencyResolutionScope
}
