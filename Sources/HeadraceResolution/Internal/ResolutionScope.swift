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
    /// Where a scope stands in its container.
    private enum Place {
        /// It is the one in which singletons are made; what is shared is made through this gate.
        case outermost(CreationGate)

        /// It descends from this one, the outermost.
        case within(ResolutionScope)
    }

    let bindings: TypeTable<Binding>
    let objects = ScopedObjects()
    private let place: Place

    /// The outermost scope of the container: this one, or the one that it descends from.
    var outermost: ResolutionScope {
        switch place {
        case .outermost: self
        case .within(let outermost): outermost
        }
    }

    /// The gate of the container.
    var gate: CreationGate {
        switch place {
        case .outermost(let gate): gate
        case .within(let outermost): outermost.gate
        }
    }

    /// Creates the outermost scope of a container.
    init(_ bindings: TypeTable<Binding>) {
        self.bindings = bindings
        place = .outermost(CreationGate())
    }

    /// Creates a scope within `outer`.
    private init(in outer: ResolutionScope) {
        bindings = outer.bindings
        place = .within(outer.outermost)
    }

    func tryResolve<T>(_ type: T.Type) -> T? {
        tryResolve(type, given: self)
    }

    func resolve<T>(_ type: T.Type) -> T {
        resolve(type, given: self)
    }

    /// Gives an object of `type`, or `nil` where nothing is registered for it; its factory gets `given`.
    func tryResolve<T>(_ type: T.Type, given: any DependencyResolutionScope) -> T? {
        if let binding = unsafe bindings.unretained(type) {
            // The table's key is the identity of the type that the binding gives: see TypedBinding.
            return unsafe binding._withUnsafeGuaranteedRef {
                unsafe unsafeDowncast($0, to: TypedBinding<T>.self).instance(for: self, given: given)
            }
        }
        return tryResolveOptional(type, given: given)
    }

    /// Gives an object of `type`, or stops the program; its factory gets `given`.
    func resolve<T>(_ type: T.Type, given: any DependencyResolutionScope) -> T {
        // Not by way of `tryResolve(_:given:)`: see Binding on what a `T?` costs.
        if let binding = unsafe bindings.unretained(type) {
            return unsafe binding._withUnsafeGuaranteedRef {
                unsafe unsafeDowncast($0, to: TypedBinding<T>.self).instance(for: self, given: given)
            }
        }
        return resolveOptional(type, given: given)
    }

    func scope() -> any DependencyResolutionScope {
        ResolutionScope(in: self)
    }

    /// Gives what is registered for the wrapped type of `type`, or stops the program where that is not optional.
    @inline(never)
    private func resolveOptional<T>(_ type: T.Type, given: any DependencyResolutionScope) -> T {
        guard let instance = tryResolveOptional(type, given: given) else {
            ResolutionFailure.missing(type).stop()
        }
        return instance
    }

    /// Gives what is registered for the wrapped type of `type`, or `nil` where that is not optional.
    @inline(never)
    private func tryResolveOptional<T>(_ type: T.Type, given: any DependencyResolutionScope) -> T? {
        guard let optional = type as? any OptionalDependency.Type else { return nil }
        return optional.resolveWrapped(by: given) as? T
    }
}
