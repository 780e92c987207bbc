// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Resolves the registrations of a ``ContainerBuilder``.
///
/// The container is the outermost scope.
///
/// A container never changes, so it can be shared freely. The look-up of a singleton takes no lock. A shared object is created
/// once, even if several tasks ask for it at the same time; only these tasks wait for its creation.
///
/// An optional type resolves to the registration of its wrapped type, and to `nil` if that type isn't registered. An array
/// resolves to the set of its elements, if one exists.
public final class Container: DependencyResolutionScope, ProvingResolver {
    let root: ResolutionScope

    /// The progress of `bootstrap`.
    let bootstrapState = Mutex(BootstrapState.pending)

    var registrations: [Registration] { root.blueprint.registrations }

    var base: ResolutionScope? { root }

    var containerNumber: UInt { root.containerNumber }

    /// Creates a container of `registrations`, with its own singletons.
    ///
    /// It keeps `lender`, whose objects it shares, and so do its scopes.
    init(_ registrations: [Registration], keeping lender: Container? = nil) {
        root = ResolutionScope(Blueprint(registrations, keeping: lender?.root))
    }

    /// The registered types and their dependencies.
    ///
    /// Each call computes the graph, so keep the result if you need it more than once.
    public var graph: DependencyGraph {
        DependencyGraph(registrations)
    }

    /// Checks that everything registered can be created, without creating objects.
    ///
    /// - Throws: As ``ContainerBuilder/validate()``.
    public func validate() throws {
        try validate(.standard)
    }

    /// Checks the registrations as ``validate()`` does, as strictly as `level` demands.
    ///
    /// - Throws: As ``ContainerBuilder/validate()``.
    public func validate(_ level: ValidationLevel) throws {
        try graph.validate(level)
    }

    /// Returns a container with the same registrations, except for the types that `register` registers.
    ///
    /// ```swift
    /// let container = appContainer.overriding { builder in
    ///     builder.singleton((any Api).self) { FakeApi() }
    /// }
    /// ```
    ///
    /// A type that `register` registers loses its earlier registrations, its set included. The new container creates all
    /// objects again, singletons included, and this container doesn't change. It can't share objects, because a closure
    /// doesn't show whether its object holds an overridden type; and tests that run at the same time then share nothing.
    /// To share an object, let a factory capture it: `builder.singleton { store }`. Decorators of the type are removed as well. If
    /// `register` registers only decorators of a type, they are added.
    ///
    /// - Complexity: O(*n*) in the number of registrations; nothing is resolved.
    public func overriding(_ register: (ContainerBuilder) throws -> Void) rethrows -> Container {
        let builder = ContainerBuilder()
        try register(builder)
        let overridden = Set(builder.registrations.withoutDecorators.map { ObjectIdentifier($0.contract) })
        let kept = registrations.filter { !overridden.contains(ObjectIdentifier($0.contract)) }
        return Container(kept + builder.registrations)
    }

    /// Returns an object of `type`, or `nil` if nothing is registered for it.
    public func tryResolve<T>(_ type: T.Type) -> T? {
        root.tryResolve(type)
    }

    /// Returns an object of `type`.
    ///
    /// - Precondition: As for ``DependencyResolver/resolve(_:)``.
    public func resolve<T>(_ type: T.Type) -> T {
        root.resolve(type)
    }

    /// Returns an object of `type`, or throws the reason why it can't be resolved.
    ///
    /// - Throws: As ``DependencyResolver/require(_:)``.
    public func require<T>(_ type: T.Type) throws(ResolutionError) -> T {
        try root.require(type)
    }

    /// Returns the members of the set of `type`, in the order of registration, each with its own lifetime.
    ///
    /// If `type` has no set, the result has the object that ``tryResolve(_:)`` returns, or is empty.
    public func resolveAll<T>(_ type: T.Type) -> [T] {
        root.resolveAll(type)
    }

    /// Opens a scope that shares the container's singletons and has its own scoped objects.
    public func scope() -> any DependencyResolutionScope {
        root.scope()
    }
}
