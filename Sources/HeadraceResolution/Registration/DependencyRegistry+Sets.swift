// SPDX-License-Identifier: Apache-2.0

// Each `into:` form adds to the result of `resolveAll(_:)`. The forms without it replace an earlier registration.

extension DependencyRegistry {
    /// Adds the object of `factory` to the set of `contract`: a new object each time.
    public func transient<Contract>(
        into contract: Contract.Type,
        _ factory: @escaping @Sendable () -> Contract
    ) {
        register(Registration(.transient, contract, Dependencies()) { _ in factory() }.joiningSet())
    }

    /// Adds the object of `factory`, with dependencies from its scope, to the set of `contract`: a new object each time.
    public func transient<Contract>(
        into contract: Contract.Type,
        _ factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        register(Registration(.transient, contract, factory: factory).joiningSet())
    }

    /// Adds the type that `assigned(_:)` names to the set of `contract`: a new object each time.
    public func transient<Contract>(
        into contract: Contract.Type,
        _ implementation: Assigned<Contract>
    ) {
        register(Registration(.transient, contract, assigned: implementation).joiningSet())
    }

    /// Adds the object of `factory` to the set of `contract`: one object in each scope.
    public func scoped<Contract: Sendable>(
        into contract: Contract.Type,
        _ factory: @escaping @Sendable () -> Contract
    ) {
        register(Registration(.scoped, contract, Dependencies()) { _ in factory() }.joiningSet())
    }

    /// Adds the object of `factory`, with dependencies from its scope, to the set of `contract`: one object in each scope.
    public func scoped<Contract: Sendable>(
        into contract: Contract.Type,
        _ factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        register(Registration(.scoped, contract, factory: factory).joiningSet())
    }

    /// Adds the type that `assigned(_:)` names to the set of `contract`: one object in each scope.
    public func scoped<Contract: Sendable>(
        into contract: Contract.Type,
        _ implementation: Assigned<Contract>
    ) {
        register(Registration(.scoped, contract, assigned: implementation).joiningSet())
    }

    /// Adds the object of `factory` to the set of `contract`: one object in the container.
    public func singleton<Contract: Sendable>(
        into contract: Contract.Type,
        _ factory: @escaping @Sendable () -> Contract
    ) {
        register(Registration(.singleton, contract, Dependencies()) { _ in factory() }.joiningSet())
    }

    /// Adds the object of `factory`, with dependencies from its scope, to the set of `contract`: one object in the container.
    public func singleton<Contract: Sendable>(
        into contract: Contract.Type,
        _ factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        register(Registration(.singleton, contract, factory: factory).joiningSet())
    }

    /// Adds the type that `assigned(_:)` names to the set of `contract`: one object in the container.
    public func singleton<Contract: Sendable>(
        into contract: Contract.Type,
        _ implementation: Assigned<Contract>
    ) {
        register(Registration(.singleton, contract, assigned: implementation).joiningSet())
    }
}
