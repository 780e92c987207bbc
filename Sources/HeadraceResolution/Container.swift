//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// Resolves what a ``ContainerBuilder`` has collected; the outermost scope.
///
/// A container never changes, so share it freely. Reading it takes no lock; only the first making of
/// a shared object does, and it makes that object once however many tasks ask at the same moment.
///
/// An optional type resolves to what its wrapped type is registered as, and to `nil` where that is not
/// registered at all.
public final class Container: DependencyResolutionScope {
    private let root: ResolutionScope

    init(_ bindings: TypeTable<Binding>) {
        root = ResolutionScope(bindings)
    }

    /// Gives an object of `type`, or `nil` where nothing is registered for it.
    public func tryResolve<T>(_ type: T.Type) -> T? {
        root.tryResolve(type)
    }

    /// Gives an object of `type`.
    ///
    /// - Precondition: As of ``DependencyResolver/resolve(_:)``.
    public func resolve<T>(_ type: T.Type) -> T {
        root.resolve(type)
    }

    /// Opens a scope that shares the container's singletons and has scoped objects of its own.
    public func scope() -> any DependencyResolutionScope {
        root.scope()
    }
}
