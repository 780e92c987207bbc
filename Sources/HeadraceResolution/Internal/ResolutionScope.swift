//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// The scope behind ``Container`` and behind every scope that it opens.
///
/// It refers to what the container froze and starts without objects, so opening one costs the same
/// however much is registered.
final class ResolutionScope: DependencyResolutionScope {
    /// What all scopes of one container have in common.
    final class Shared: Sendable {
        let bindings: TypeTable<Binding>
        let gate = CreationGate()

        init(_ bindings: TypeTable<Binding>) {
            self.bindings = bindings
        }
    }

    let shared: Shared
    let objects = ScopedObjects()

    /// The scope in which singletons are made; `nil` in that scope itself.
    private let root: ResolutionScope?

    /// The outermost scope of the container: this one, or the one that it descends from.
    var outermost: ResolutionScope { root ?? self }

    init(shared: Shared, root: ResolutionScope? = nil) {
        self.shared = shared
        self.root = root
    }

    func tryResolve<T>(_ type: T.Type) -> T? {
        if let binding = shared.bindings[type] {
            // The table's key is the identity of the type that the binding gives: see TypedBinding.
            return unsafe unsafeDowncast(binding, to: TypedBinding<T>.self).instance(for: self)
        }
        return tryResolveOptional(type)
    }

    func resolve<T>(_ type: T.Type) -> T {
        // Not by way of `tryResolve(_:)`: see Binding on what a `T?` costs.
        if let binding = shared.bindings[type] {
            return unsafe unsafeDowncast(binding, to: TypedBinding<T>.self).instance(for: self)
        }
        return resolveOptional(type)
    }

    func scope() -> any DependencyResolutionScope {
        ResolutionScope(shared: shared, root: outermost)
    }

    /// Gives what is registered for the wrapped type of `type`, or stops the program where that is not optional.
    @inline(never)
    private func resolveOptional<T>(_ type: T.Type) -> T {
        guard let instance = tryResolveOptional(type) else {
            ResolutionFailure.missing(type).stop()
        }
        return instance
    }

    /// Gives what is registered for the wrapped type of `type`, or `nil` where that is not optional.
    @inline(never)
    private func tryResolveOptional<T>(_ type: T.Type) -> T? {
        guard let optional = type as? any OptionalDependency.Type else { return nil }
        return optional.resolveWrapped(by: self) as? T
    }
}
