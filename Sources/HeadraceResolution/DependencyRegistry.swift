// SPDX-License-Identifier: Apache-2.0

/// Collects registrations: which types can be resolved, how they are created, and how long they are kept.
///
/// There are five forms, each for `transient`, `scoped` and `singleton`:
///
/// ```swift
/// builder.singleton(Cache.self)  // a `Resolvable` type
/// builder.singleton(SystemClock.init)  // a function, whose parameters are the dependencies
/// builder.singleton((any Store).self) { (cache: Cache) in DiskStore(cache) }  // a contract and a function
/// builder.singleton((any Store).self) { DiskStore($0.resolve()) }  // a function of the scope
/// builder.singleton((any Clock).self, assigned(SystemClock.self))  // a contract and an assigned type
/// ```
///
/// The parameters of a function state the dependencies, so the registration can be checked and changes with an initializer.
/// If a type has several initializers, name one with its labels: `SmtpMailer.init(host:)`. A function of the scope resolves by
/// hand, and isn't checked. To register an object with a name, return a ``Named`` object.
///
/// Shared objects must be `Sendable`, and the compiler checks it, because any task that has the container can reach
/// singletons and scoped objects. A transient object belongs to its caller and doesn't have to be `Sendable`.
///
/// A shared object may keep the scope that its factory received. That doesn't keep the container alive, so the objects of a
/// container end with it. Keep the container, or a scope that it opened, as long as you use such an object.
///
/// The last registration of a type wins, unless it is a member of a set: see ``members``.
public protocol DependencyRegistry {
    /// Records `registration`, replacing an earlier one of the same contract.
    func register(_ registration: Registration)
}

extension DependencyRegistry {
    // MARK: A new object each time

    /// Registers a type that creates itself from its scope: a new object each time.
    public func transient<Implementation: Resolvable>(_ implementation: Implementation.Type) {
        transient(implementation, assigned(implementation))
    }

    /// Registers the type that `make` returns, with each parameter resolved: a new object each time.
    public func transient<Implementation, each Parameter>(
        _ make: @escaping @Sendable (repeat each Parameter) -> Implementation
    ) {
        transient(Implementation.self, make)
    }

    /// Registers `contract` with a function that makes an implementation, with each parameter resolved: a new object each time.
    public func transient<Contract, each Parameter>(
        _ contract: Contract.Type,
        _ make: @escaping @Sendable (repeat each Parameter) -> Contract
    ) {
        register(Registration(.transient, contract, calling: make))
    }

    /// Registers `contract`, by default the type that `factory` returns, with a factory that resolves by hand: a new object each
    /// time.
    public func transient<Contract>(
        _ contract: Contract.Type = Contract.self,
        _ factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        register(Registration(.transient, contract, factory: factory))
    }

    /// Registers `contract` with the type that implements it: a new object each time.
    public func transient<Contract>(_ contract: Contract.Type, _ implementation: Assigned<Contract>) {
        register(Registration(.transient, contract, assigned: implementation))
    }

    // MARK: One object in each scope

    /// Registers a type that creates itself from its scope: one object in each scope.
    public func scoped<Implementation: Resolvable & Sendable>(_ implementation: Implementation.Type) {
        scoped(implementation, assigned(implementation))
    }

    /// Registers the type that `make` returns, with each parameter resolved: one object in each scope.
    public func scoped<Implementation: Sendable, each Parameter>(
        _ make: @escaping @Sendable (repeat each Parameter) -> Implementation
    ) {
        scoped(Implementation.self, make)
    }

    /// Registers `contract` with a function that makes an implementation, with each parameter resolved: one object in each scope.
    public func scoped<Contract: Sendable, each Parameter>(
        _ contract: Contract.Type,
        _ make: @escaping @Sendable (repeat each Parameter) -> Contract
    ) {
        register(Registration(.scoped, contract, calling: make))
    }

    /// Registers `contract`, by default the type that `factory` returns, with a factory that resolves by hand: one object in
    /// each scope.
    public func scoped<Contract: Sendable>(
        _ contract: Contract.Type = Contract.self,
        _ factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        register(Registration(.scoped, contract, factory: factory))
    }

    /// Registers `contract` with the type that implements it: one object in each scope.
    public func scoped<Contract: Sendable>(_ contract: Contract.Type, _ implementation: Assigned<Contract>) {
        register(Registration(.scoped, contract, assigned: implementation))
    }

    // MARK: One object in the container

    /// Registers a type that creates itself from its scope: one object in the container.
    public func singleton<Implementation: Resolvable & Sendable>(_ implementation: Implementation.Type) {
        singleton(implementation, assigned(implementation))
    }

    /// Registers the type that `make` returns, with each parameter resolved: one object in the container.
    public func singleton<Implementation: Sendable, each Parameter>(
        _ make: @escaping @Sendable (repeat each Parameter) -> Implementation
    ) {
        singleton(Implementation.self, make)
    }

    /// Registers `contract` with a function that makes an implementation, with each parameter resolved: one object in the
    /// container.
    public func singleton<Contract: Sendable, each Parameter>(
        _ contract: Contract.Type,
        _ make: @escaping @Sendable (repeat each Parameter) -> Contract
    ) {
        register(Registration(.singleton, contract, calling: make))
    }

    /// Registers `contract`, by default the type that `factory` returns, with a factory that resolves by hand: one object in
    /// the container.
    public func singleton<Contract: Sendable>(
        _ contract: Contract.Type = Contract.self,
        _ factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        register(Registration(.singleton, contract, factory: factory))
    }

    /// Registers `contract` with the type that implements it: one object in the container.
    public func singleton<Contract: Sendable>(_ contract: Contract.Type, _ implementation: Assigned<Contract>) {
        register(Registration(.singleton, contract, assigned: implementation))
    }
}

extension DependencyRegistry {
    /// A registry whose registrations are the members of sets, and don't replace one another.
    ///
    /// ```swift
    /// builder.members.transient((any Rule).self) { NoOverdraft() }
    /// ```
    ///
    /// ``DependencyResolver/resolveAll(_:)`` and a dependency of the type `[any Rule]` receive all members, in the order of
    /// registration.
    public var members: some DependencyRegistry {
        SetRegistry(base: self)
    }

    /// Registers an object that only the main actor may use, such as a `ModelContext` of SwiftData: a new object each time, or
    /// one that `make` captures.
    ///
    /// ```swift
    /// builder.transient(on: MainActor.self) { modelContext }
    /// ```
    ///
    /// The function may capture values that aren't `Sendable` and belong to the main actor. On the main actor, resolving the
    /// object is synchronous. Elsewhere, resolving it or an object that depends on it stops the program with a message. This holds
    /// for `tryResolve` as well, because `nil` would mean that the type isn't registered. For another lifetime, register a
    /// `Registration(_:_:on:factory:)`.
    ///
    /// The compiler assumes that a resolved object is new and may be sent anywhere. An object that `make` captures isn't new:
    /// keep it on the main actor.
    ///
    /// - Parameters:
    ///   - contract: The type that is resolved, by default the type that `make` returns.
    ///   - actor: The main actor.
    ///   - make: Creates an object. Its parameters are the dependencies.
    public func transient<Contract, each Parameter>(
        _ contract: Contract.Type = Contract.self,
        on actor: MainActor.Type,
        _ make: @escaping @MainActor (repeat each Parameter) -> Contract
    ) {
        let dependencies = Dependencies(on: repeat (each Parameter).self)
        register(
            Registration(.transient, contract, dependencies: dependencies, on: actor) { scope in
                make(repeat scope.argument((each Parameter).self))
            }
        )
    }
}

/// A registry that adds each registration to the set of its contract.
private struct SetRegistry: DependencyRegistry {
    let base: any DependencyRegistry

    func register(_ registration: Registration) {
        base.register(registration.joiningSet())
    }
}

/// An implementation in a registration: `builder.singleton((any Mailer).self, assigned(SmtpMailer.self))`.
///
/// It is a function that returns the factory. Swift converts a function that returns an implementation to a function that
/// returns the contract, and so checks at compile time that the implementation conforms to the contract. A generic type
/// couldn't be converted.
public typealias Assigned<Contract> =
    (_ assignment: inout Assignment) -> @Sendable (any DependencyResolutionScope) -> Contract

/// The facts about an assigned implementation that a registration needs.
///
/// Only `assigned(_:)` and `closure(needs:factory:)` write it.
public struct Assignment: Sendable {
    /// The implementation.
    fileprivate(set) var implementation: Any.Type?

    /// The types that the factory resolves from its scope.
    var dependencies = Dependencies.unknown

    /// Whether the implementation has a registration in the container.
    fileprivate let isRegistered: Bool

    init(isRegistered: Bool = false) {
        self.isRegistered = isRegistered
    }
}

/// Returns an assignment that resolves `implementation`, which has a registration.
///
/// ```swift
/// builder.singleton { SmtpMailer() }
/// builder.transient((any Mailer).self, assigned(SmtpMailer.self))
/// ```
public func assigned<T>(_ implementation: T.Type) -> Assigned<T> {
    { assignment in
        assignment.dependencies = Dependencies().on(T.self)
        return { $0.resolve(T.self) }
    }
}

/// Returns an assignment that resolves `implementation`, or creates it if it isn't registered.
///
/// ```swift
/// builder.transient((any Mailer).self, assigned(ResolvableMailer.self))
/// ```
///
/// If the same container has a registration of `implementation`, it is used with its lifetime and its overrides. Otherwise
/// the type creates itself, with the lifetime of the contract.
public func assigned<T: Resolvable>(_ implementation: T.Type) -> Assigned<T> {
    { assignment in
        assignment.implementation = T.self
        if assignment.isRegistered {
            assignment.dependencies = Dependencies().on(T.self)
            return { $0.resolve(T.self) }
        }
        assignment.dependencies = T.ownDependencies
        return { T(scope: $0) }
    }
}

/// States the dependencies of a closure that resolves by hand, so that they can be checked.
///
/// ```swift
/// builder.singleton((any Store).self, closure(needs: Cache.self) { scope in DiskStore(scope.resolve()) })
/// ```
///
/// Other types that the closure resolves are not checked. If the parameters of a function are the dependencies, register the
/// function: `builder.singleton((any Store).self, DiskStore.init)`.
///
/// - Parameters:
///   - needs: The types that the closure resolves.
///   - factory: Makes the object.
/// - Returns: The argument of a registration form after the contract.
public func closure<Contract, each Needed>(
    needs: repeat (each Needed).Type,
    factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
) -> Assigned<Contract> {
    let dependencies = Dependencies(on: repeat each needs)
    return { assignment in
        assignment.dependencies = dependencies
        return factory
    }
}
