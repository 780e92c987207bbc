// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Resolves types to objects.
///
/// ``Container``, its scopes, and ``ServiceLocator`` are resolvers. To write your own, implement ``tryResolve(_:)``; the
/// other methods have default implementations.
///
/// A resolver creates objects synchronously, in the caller's isolation. An object must be `Sendable` only if it is shared:
/// see ``DependencyRegistry``.
public protocol DependencyResolver {
    /// Returns an object of `type`, or `nil` if nothing is registered for it.
    func tryResolve<T>(_ type: T.Type) -> T?

    /// Returns an object of `type`.
    ///
    /// - Precondition: `type` is registered. Otherwise the program stops; the message has the path of the objects that
    ///   were being created, and the line to add.
    func resolve<T>(_ type: T.Type) -> T

    /// Returns an object of `type`, or throws the reason why it can't be resolved.
    ///
    /// Use it if a mistake in the composition must not stop the program. In an event handler, for example, the mistake
    /// then costs one delivery.
    ///
    /// ```swift
    /// let mailer = try resolver.require((any Mailer).self)
    /// ```
    ///
    /// A ``Container`` and its scopes check the stated dependencies of `type` first, once for each type. A factory that
    /// takes its scope states no dependencies: if such a factory resolves a missing type, the program stops.
    ///
    /// - Throws: ``ResolutionError``, with the message with which ``resolve(_:)`` stops the program.
    func require<T>(_ type: T.Type) throws(ResolutionError) -> T

    /// Returns the members of the set of `type`, in the order of registration, each with its own lifetime.
    ///
    /// If `type` has no set, the result has the object that ``tryResolve(_:)`` returns, or is empty.
    func resolveAll<T>(_ type: T.Type) -> [T]
}

extension DependencyResolver {
    /// Returns an object of the type that the context asks for: `let clock: any Clock = resolver.resolve()`.
    ///
    /// - Precondition: As for ``resolve(_:)``.
    @inlinable
    public func resolve<T>() -> T {
        resolve(T.self)
    }

    /// Returns an object of the type that the context asks for, or `nil` if nothing is registered for it.
    @inlinable
    public func tryResolve<T>() -> T? {
        tryResolve(T.self)
    }

    /// Returns an object of the type that the context asks for, or throws the reason why it can't be resolved.
    ///
    /// - Throws: As ``require(_:)``.
    @inlinable
    public func require<T>() throws(ResolutionError) -> T {
        try require(T.self)
    }

    /// Returns an object of `type` from ``tryResolve(_:)``.
    ///
    /// - Throws: ``ResolutionError`` with the code `ResolutionError.Code.missing`.
    public func require<T>(_ type: T.Type) throws(ResolutionError) -> T {
        guard let instance = tryResolve(type) else {
            throw ResolutionFailure.missing(type, neededBy: ResolutionPath.names).error
        }
        return instance
    }

    /// Returns an object of `type` from ``tryResolve(_:)``.
    public func resolve<T>(_ type: T.Type) -> T {
        guard let instance = tryResolve(type) else {
            ResolutionFailure.missing(type, neededBy: ResolutionPath.names).stop()
        }
        return instance
    }

    /// Returns the object from ``tryResolve(_:)``, so at most one.
    public func resolveAll<T>(_ type: T.Type) -> [T] {
        tryResolve(type).map { [$0] } ?? []
    }
}

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

/// A resolver of a container, which can check whether a type can be resolved, without creating an object.
protocol ProvingResolver: DependencyResolver {
    /// The number of the container, which no other container of the process has.
    var containerNumber: UInt { get }

    /// The scope that resolves; `nil` if the container is gone.
    var base: ResolutionScope? { get }
}

extension ProvingResolver {
    /// Throws if `dependencies` of `subject` can't be resolved.
    ///
    /// Messages call the subject `name`.
    ///
    /// - Returns: Whether the result holds as long as the container exists, on every thread.
    func check(
        _ dependencies: @autoclosure () -> [Dependency],
        of subject: ProofSubject,
        named name: @autoclosure () -> String?
    ) throws(ResolutionError) -> Bool {
        guard let base else { throw ResolutionFailure.released.error }
        return try base.blueprint.proof.check(dependencies(), of: subject, named: name(), in: base)
    }
}

/// A type whose dependencies are checked, and the type of a dependency that the caller supplies.
struct ProofSubject: Hashable {
    let type: ObjectIdentifier
    let given: ObjectIdentifier?
}

extension DependencyResolver {
    /// The number of the container that the resolver belongs to; 0 if it belongs to none.
    package var containerNumber: UInt {
        (self as? any ProvingResolver)?.containerNumber ?? 0
    }

    /// The facts that modules recorded with the registrations of the container; empty if this isn't a container or a scope of one.
    package var registrationNotes: [any RegistrationNote] {
        (self as? any ProvingResolver)?.base?.blueprint.registrations.notes ?? []
    }

    /// Throws if an object of `type` can't be created from this resolver because a stated dependency is missing.
    ///
    /// - Parameters:
    ///   - type: The type to create.
    ///   - given: A type that the object receives from elsewhere.
    /// - Returns: Whether the result holds as long as the container exists, on every thread.
    /// - Throws: ``ResolutionError``.
    @discardableResult
    package func check<Made: Resolvable>(_ type: Made.Type, given: Any.Type? = nil) throws(ResolutionError) -> Bool {
        if let proving = self as? any ProvingResolver {
            // A required type has no given type. `Never` makes a type that is created a different subject.
            let subject = ProofSubject(
                type: ObjectIdentifier(type),
                given: ObjectIdentifier(given ?? Never.self)
            )
            return try proving.check(
                type.ownDependencies.stated.filter { $0.contract != given },
                of: subject,
                named: TypeSpelling.full(type)
            )
        }
        for dependency in type.ownDependencies.stated where !dependency.isOptional && dependency.contract != given {
            guard canResolve(dependency.contract) else {
                throw ResolutionFailure.missing(dependency.contract, neededBy: [TypeSpelling.full(type)]).error
            }
        }
        return false
    }

    /// Whether something is registered for `type`.
    private func canResolve<T>(_ type: T.Type) -> Bool {
        tryResolve(type) != nil
    }
}

/// A resolver that is filled with instances while the program runs, without a builder and without scopes.
///
/// ```swift
/// let services = ServiceLocator()
/// services.register(NotificationService())
/// let notifications: NotificationService = services.resolve()
/// ```
///
/// Several tasks may share and fill it. An optional type resolves as in a ``Container``: to the registration of its wrapped
/// type, and to `nil` if that type isn't registered. If objects depend on one another or have different lifetimes, use
/// ``ContainerBuilder``.
public final class ServiceLocator: DependencyResolver, Sendable {
    private typealias MakeObject = @Sendable () -> any Sendable

    private let factories = Mutex<[ObjectIdentifier: MakeObject]>([:])

    /// Creates a locator without registrations.
    public init() {}

    /// Registers `instance` for `T`.
    ///
    /// The last registration of a type wins.
    public func register<T: Sendable>(_ instance: T) {
        register(T.self) { instance }
    }

    /// Registers `instance` for `contract`.
    public func register<T: Sendable>(_ contract: T.Type, _ instance: T) {
        register(contract) { instance }
    }

    /// Registers `factory` for `contract`.
    ///
    /// Each resolution calls it.
    public func register<T: Sendable>(_ contract: T.Type, _ factory: @escaping @Sendable () -> T) {
        factories.withLock { $0[ObjectIdentifier(contract)] = factory }
    }

    /// Returns an object of `type`, or `nil` if nothing is registered for it at this moment.
    public func tryResolve<T>(_ type: T.Type) -> T? {
        if let factory = factories.withLock({ $0[ObjectIdentifier(type)] }) {
            // The factory runs outside the lock, because it may resolve from this locator.
            return factory() as? T
        }
        if let optional = type as? any OptionalDependency.Type {
            return optional.resolveWrapped(by: self) as? T
        }
        return nil
    }
}
