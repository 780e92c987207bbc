// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// The scope behind ``Container`` and behind every scope that it opens.
///
/// It refers to the blueprint of the container and starts without objects, so opening a scope costs the same for any
/// number of registrations.
final class ResolutionScope: DependencyResolutionScope, Noted, ProvingResolver {
    /// The position of a scope in its container.
    private enum Nesting {
        /// The scope in which singletons are created.
        case outermost(Blueprint)

        /// A scope within the outermost one.
        case within(ResolutionScope)
    }

    let bindings: TypeTable<Binding>
    let objects = ScopedObjects()

    /// The number of the container: the ID of the table of bindings, which all scopes of the container share.
    var containerNumber: UInt { bindings.id }

    private let nesting: Nesting

    /// The outermost scope of the container; it may be this scope.
    var outermost: ResolutionScope {
        switch nesting {
        case .outermost: self
        case .within(let outermost): outermost
        }
    }

    /// The blueprint of the container.
    var blueprint: Blueprint {
        switch nesting {
        case .outermost(let blueprint): blueprint
        case .within(let outermost): outermost.blueprint
        }
    }

    var notes: [any RegistrationNote] { blueprint.notes }

    /// Creates the outermost scope of a container.
    init(_ blueprint: Blueprint) {
        bindings = blueprint.bindings
        nesting = .outermost(blueprint)
    }

    /// Creates a scope within `outer`.
    private init(in outer: ResolutionScope) {
        bindings = outer.bindings
        nesting = .within(outer.outermost)
    }

    func scope() -> any DependencyResolutionScope {
        ResolutionScope(in: self)
    }

    func tryResolve<T>(_ type: T.Type) -> T? {
        tryResolve(type, given: self)
    }

    func resolve<T>(_ type: T.Type) -> T {
        resolve(type, given: self)
    }

    func resolveAll<T>(_ type: T.Type) -> [T] {
        resolveAll(type, given: self)
    }

    /// Returns the members of the set of `type`, or else its one object.
    ///
    /// The factories receive `given`.
    func resolveAll<T>(_ type: T.Type, given: any DependencyResolutionScope) -> [T] {
        if let members = members(of: type, given: given) { return members }
        return tryResolve(type, given: given).map { [$0] } ?? []
    }

    func require<T>(_ type: T.Type) throws(ResolutionError) -> T {
        try require(type, given: self)
    }

    /// Returns an object of `type`, or throws the reason why it can't be resolved.
    ///
    /// The factory receives `given`.
    func require<T>(_ type: T.Type, given: any DependencyResolutionScope) throws(ResolutionError) -> T {
        _ = try check([Dependency(type)], of: ProofSubject(type: ObjectIdentifier(type), given: nil), named: nil)
        return resolve(type, given: given)
    }

    func check(
        _ dependencies: @autoclosure () -> [Dependency],
        of subject: ProofSubject,
        named name: @autoclosure () -> String?
    ) throws(ResolutionError) -> Bool {
        try blueprint.proof.check(dependencies(), of: subject, named: name(), in: self)
    }

    /// Returns an object of an optional or array type, or stops the program if `type` is neither.
    @inline(never)
    func resolveDerived<T>(_ type: T.Type, given: any DependencyResolutionScope) -> T {
        guard let instance = tryResolveDerived(type, given: given) else {
            ResolutionFailure.missing(type, neededBy: ResolutionPath.names).stop()
        }
        return instance
    }

    /// Returns the object of the wrapped type or the set of the elements of `type`, or `nil` if nothing is registered.
    @inline(never)
    func tryResolveDerived<T>(_ type: T.Type, given: any DependencyResolutionScope) -> T? {
        if let optional = type as? any OptionalDependency.Type {
            return optional.resolveWrapped(by: given) as? T
        }
        if let array = type as? any SetDependency.Type, blueprint.sets[array.element] != nil {
            return array.resolveMembers(by: given) as? T
        }
        return nil
    }
}
