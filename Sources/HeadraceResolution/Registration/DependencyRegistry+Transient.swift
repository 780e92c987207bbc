// SPDX-License-Identifier: Apache-2.0

extension DependencyRegistry {
    /// Registers the type that `factory` returns: a new object each time.
    public func transient<Implementation>(
        _ factory: @escaping @Sendable () -> Implementation
    ) {
        transient(Implementation.self, factory)
    }

    /// Registers the type that `factory` returns, with dependencies from its scope: a new object each time.
    public func transient<Implementation>(
        _ factory: @escaping @Sendable (any DependencyResolutionScope) -> Implementation
    ) {
        transient(Implementation.self, factory)
    }

    /// Registers `contract` with a factory of an implementation: a new object each time.
    public func transient<Contract>(
        _ contract: Contract.Type,
        _ factory: @escaping @Sendable () -> Contract
    ) {
        register(Registration(.transient, contract, Dependencies()) { _ in factory() })
    }

    /// Registers `contract` with a factory of an implementation that has dependencies from its scope: a new object each time.
    public func transient<Contract>(
        _ contract: Contract.Type,
        _ factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        register(Registration(.transient, contract, factory: factory))
    }

    /// Registers `contract` with the type that implements it: a new object each time.
    public func transient<Contract>(
        _ contract: Contract.Type,
        _ implementation: Assigned<Contract>
    ) {
        register(Registration(.transient, contract, assigned: implementation))
    }

    /// Registers a type that creates itself from its scope: a new object each time.
    public func transient<Implementation: Resolvable>(_ implementation: Implementation.Type) {
        register(Registration(.transient, implementation, assigned: assigned(implementation)))
    }
}
