//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A resolver with objects of its own: what is registered as scoped is made once in each scope.
///
/// Open a scope for a stretch of work that shares something: a request, a window, a dispatch. It ends
/// with its last reference; nothing needs to be closed. It is a class, since it has an identity, and since
/// every factory and every handler is given one: a reference is passed in two words, and without boxes.
public protocol DependencyResolutionScope: AnyObject, DependencyResolver, Sendable {
    /// Opens a scope that shares this one's singletons and has scoped objects of its own.
    ///
    /// - Complexity: O(1) in the number of registrations.
    func scope() -> any DependencyResolutionScope
}
