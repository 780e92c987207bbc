//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Resolves what a ``ContainerBuilder`` has collected; the outermost scope.
///
/// A container never changes, so share it freely. Reading it takes no lock; only the first making of
/// a shared object does, and it makes that object once however many tasks ask at the same moment.
///
/// An optional type resolves to what its wrapped type is registered as, and to `nil` where that is not
/// registered at all. An array resolves to all that joined the set of its elements, where there is one.
public final class Container: DependencyResolutionScope, ProvingResolver {
    private let root: ResolutionScope

    /// The number of the container.
    var containerNumber: UInt { root.containerNumber }

    /// Creates a container of `registrations`, with singletons of its own.
    init(_ registrations: [Registration]) {
        root = ResolutionScope(Blueprint(registrations))
    }

    /// What the container can make, and out of what.
    ///
    /// It is computed at each call; a program that draws or checks it does so once.
    public var graph: DependencyGraph {
        DependencyGraph(root.blueprint.registrations)
    }

    /// Proves that everything registered can be made, and makes nothing.
    ///
    /// - Throws: As of ``ContainerBuilder/validate()``.
    public func validate() throws {
        try validate(.standard)
    }

    /// Proves as much as `level` demands, as ``validate()`` does.
    ///
    /// - Throws: As of ``ContainerBuilder/validate()``.
    public func validate(_ level: ValidationLevel) throws {
        try graph.validate(level)
    }

    /// Makes a container in which what `register` registers wins, and everything else is registered as here.
    ///
    /// ```swift
    /// let container = appContainer.overriding { builder in
    ///     builder.singleton((any Api).self) { FakeApi() }
    /// }
    /// ```
    ///
    /// A type that is registered in `register` has only what is registered there, its set included. The new container
    /// makes everything anew, all singletons too, and this one stays as it is: whether an object made here holds
    /// what is overridden cannot be known where a factory is a closure, and tests that run at the same time
    /// share nothing. What is to be the same in both, let the factory capture: `builder.singleton { store }`.
    ///
    /// - Complexity: O(*n*) in the number of registrations; nothing is resolved.
    public func overriding(_ register: (ContainerBuilder) throws -> Void) rethrows -> Container {
        let builder = ContainerBuilder()
        try register(builder)
        let overridden = Set(builder.registrations.map { ObjectIdentifier($0.contract) })
        let kept = root.blueprint.registrations.filter { !overridden.contains(ObjectIdentifier($0.contract)) }
        return Container(kept + builder.registrations)
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

    /// Gives an object of `type`, or throws why there is none.
    ///
    /// - Throws: As of ``DependencyResolver/require(_:)``.
    public func require<T>(_ type: T.Type) throws(ResolutionError) -> T {
        try root.require(type)
    }

    func check(
        _ dependencies: @autoclosure () -> [Dependency],
        of subject: ResolutionProof.Subject,
        named name: @autoclosure () -> String?
    ) throws(ResolutionError) -> Bool {
        try root.check(dependencies(), of: subject, named: name())
    }

    /// Gives all that joined the set of `type`, in the order of registration, each with its own lifetime.
    ///
    /// Where nothing joined one, it is what ``tryResolve(_:)`` gives, or nothing.
    public func resolveAll<T>(_ type: T.Type) -> [T] {
        root.resolveAll(type)
    }

    /// Opens a scope that shares the container's singletons and has scoped objects of its own.
    public func scope() -> any DependencyResolutionScope {
        root.scope()
    }
}
