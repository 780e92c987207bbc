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
final class ResolutionScope: DependencyResolutionScope, ProvingResolver {
    /// Where a scope stands in its container.
    private enum Place {
        /// It is the one in which singletons are made.
        case outermost(Blueprint)

        /// It descends from this one, the outermost.
        case within(ResolutionScope)
    }

    let bindings: TypeTable<Binding>
    let objects = ScopedObjects()

    /// The number of the container: that of its bindings, which all of its scopes share.
    var containerNumber: UInt { bindings.id }

    private let place: Place

    /// The outermost scope of the container: this one, or the one that it descends from.
    var outermost: ResolutionScope {
        switch place {
        case .outermost: self
        case .within(let outermost): outermost
        }
    }

    /// What the container was built of.
    var blueprint: Blueprint {
        switch place {
        case .outermost(let blueprint): blueprint
        case .within(let outermost): outermost.blueprint
        }
    }

    /// Creates the outermost scope of a container.
    init(_ blueprint: Blueprint) {
        bindings = blueprint.bindings
        place = .outermost(blueprint)
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
        return tryResolveDerived(type, given: given)
    }

    /// Gives an object of `type`, or stops the program; its factory gets `given`.
    func resolve<T>(_ type: T.Type, given: any DependencyResolutionScope) -> T {
        // Not by way of `tryResolve(_:given:)`: see Binding on what a `T?` costs.
        if let binding = unsafe bindings.unretained(type) {
            return unsafe binding._withUnsafeGuaranteedRef {
                unsafe unsafeDowncast($0, to: TypedBinding<T>.self).instance(for: self, given: given)
            }
        }
        return resolveDerived(type, given: given)
    }

    func require<T>(_ type: T.Type) throws(ResolutionError) -> T {
        try require(type, given: self)
    }

    /// Gives an object of `type`, or throws why there is none; its factory gets `given`.
    func require<T>(_ type: T.Type, given: any DependencyResolutionScope) throws(ResolutionError) -> T {
        _ = try check(
            [Dependency(type)],
            of: ResolutionProof.Subject(type: ObjectIdentifier(type), given: nil),
            named: nil
        )
        return resolve(type, given: given)
    }

    func check(
        _ dependencies: @autoclosure () -> [Dependency],
        of subject: ResolutionProof.Subject,
        named name: @autoclosure () -> String?
    ) throws(ResolutionError) -> Bool {
        try blueprint.proof.check(dependencies(), of: subject, named: name(), in: self)
    }

    func resolveAll<T>(_ type: T.Type) -> [T] {
        resolveAll(type, given: self)
    }

    /// Gives what joined the set of `type`, or what is registered for it alone; the factories get `given`.
    func resolveAll<T>(_ type: T.Type, given: any DependencyResolutionScope) -> [T] {
        if let members = members(of: type, given: given) { return members }
        return tryResolve(type, given: given).map { [$0] } ?? []
    }

    /// Gives what joined the set of `type`, or `nil` where it has none; the factories get `given`.
    func members<T>(of type: T.Type, given: any DependencyResolutionScope) -> [T]? {
        blueprint.sets[type]?.bindings.map { binding in
            // As above: the blueprint keys this table by the same type, too.
            unsafe unsafeDowncast(binding, to: TypedBinding<T>.self).instance(for: self, given: given)
        }
    }

    func scope() -> any DependencyResolutionScope {
        ResolutionScope(in: self)
    }

    /// Gives what `type` is made of, or stops the program where that is neither optional nor a set.
    @inline(never)
    private func resolveDerived<T>(_ type: T.Type, given: any DependencyResolutionScope) -> T {
        guard let instance = tryResolveDerived(type, given: given) else {
            ResolutionFailure.missing(type).stop()
        }
        return instance
    }

    /// Gives what is registered for the wrapped type or for the elements of `type`, or `nil` where it has neither.
    @inline(never)
    private func tryResolveDerived<T>(_ type: T.Type, given: any DependencyResolutionScope) -> T? {
        if let optional = type as? any OptionalDependency.Type {
            return optional.resolveWrapped(by: given) as? T
        }
        if let set = type as? any SetDependency.Type {
            return set.resolveMembers(from: self, given: given) as? T
        }
        return nil
    }
}
