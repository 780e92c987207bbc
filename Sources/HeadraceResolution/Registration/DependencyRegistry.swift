// SPDX-License-Identifier: Apache-2.0

/// Collects registrations: which types can be resolved, how they are created, and how long they are kept.
///
/// There are five forms, each for `transient`, `scoped` and `singleton`:
///
/// ```swift
/// builder.singleton(Cache.self)                                    // a `Resolvable` type
/// builder.singleton(SystemClock.init)                              // a function, whose parameters are the dependencies
/// builder.singleton((any Clock).self) { SystemClock() }            // a contract and such a function
/// builder.singleton((any Store).self) { DiskStore($0.resolve()) }  // a function of the scope
/// builder.singleton((any Store).self, assigned(DiskStore.self))    // a contract and a registered or `Resolvable` type
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
    /// builder.members.singleton((any Rule).self) { DailyLimit() }
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
