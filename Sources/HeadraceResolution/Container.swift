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

/// Collects registrations, then makes an immutable container of them.
///
/// ```swift
/// let builder = ContainerBuilder()
/// builder.singleton((any Mailer).self) { SmtpMailer(host: "localhost") }
/// builder.transient { SignUp(mailer: $0.resolve()) }
///
/// let container = builder.build()
/// let signUp: SignUp = container.resolve()
/// ```
public final class ContainerBuilder: DependencyRegistry {
    private(set) var registrations: [Registration] = []

    /// Creates a builder without registrations.
    public init() {}

    /// Records `registration`, replacing an earlier one of the same contract.
    public func register(_ registration: Registration) {
        registrations.append(registration)
    }

    /// Returns a container of the registrations so far.
    ///
    /// Each container has its own singletons. Later registrations don't change a container that was built earlier.
    public func build() -> Container {
        Container(registrations)
    }

    /// The types that are registered so far and their dependencies.
    public var graph: DependencyGraph {
        DependencyGraph(registrations)
    }

    /// Checks that everything registered so far can be created, without creating objects.
    ///
    /// ```swift
    /// try builder.validate()
    /// let container = builder.build()
    /// ```
    ///
    /// It finds missing dependencies, cycles, duplicate registrations, and singletons that hold scoped objects. It knows
    /// the dependencies that `Resolvable` types and registrations state, see ``Dependencies``. A closure that takes its
    /// scope states no dependencies: it is opaque, and is not checked.
    ///
    /// - Throws: ``CompositionError`` with all problems at once.
    public func validate() throws {
        try validate(.standard)
    }

    /// Checks the registrations as ``validate()`` does, as strictly as `level` demands.
    ///
    /// - Throws: ``CompositionError`` with all problems at once.
    public func validate(_ level: ValidationLevel) throws {
        try graph.validate(level)
    }
}

extension Container {
    /// Returns a container that shares the existing objects of this container, except for those that may hold a `type`.
    ///
    /// It is the foundation of `Container.resetting(_:)` of `HeadraceTesting`.
    package func resetting(_ type: Any.Type) -> Container {
        let copy = Container(registrations, keeping: self)
        let settled = registrations.settled
        let before = root.blueprint.all
        let after = copy.root.blueprint.all
        // An object that resolves types by hand, or that creates parts in its scope, may hold any object.
        var isReset = settled.indices.map { index in
            settled[index].contract == type || settled[index].implementation == type
                || !settled[index].dependencies.isComplete || !settled[index].parts.isEmpty
        }
        let positions = Dictionary(
            before.enumerated().map { (ObjectIdentifier($1), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for (index, binding) in before.enumerated() where !isReset[index] {
                let targets = binding.description.dependencies.stated.flatMap { root.blueprint.targets(of: $0) ?? [] }
                guard targets.contains(where: { positions[ObjectIdentifier($0)].map { isReset[$0] } ?? true }) else {
                    continue
                }
                isReset[index] = true
                hasChanged = true
            }
        }
        // Another task may create objects at the same time. An object that was adopted has what it needs, so a further round
        // finds that.
        var mustRepeat = true
        while mustRepeat {
            mustRepeat = false
            for index in before.indices where !isReset[index] && after[index].adopt(before[index]) { mustRepeat = true }
        }
        return copy
    }
}
