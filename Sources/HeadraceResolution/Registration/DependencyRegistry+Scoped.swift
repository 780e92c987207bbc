// SPDX-License-Identifier: Apache-2.0

extension DependencyRegistry {
    /// Registers the type that `factory` returns: one object in each scope.
    public func scoped<Implementation: Sendable>(
        _ factory: @escaping @Sendable () -> Implementation
    ) {
        scoped(Implementation.self, factory)
    }

    /// Registers the type that `factory` returns, with dependencies from its scope: one object in each scope.
    public func scoped<Implementation: Sendable>(
        _ factory: @escaping @Sendable (any DependencyResolutionScope) -> Implementation
    ) {
        scoped(Implementation.self, factory)
    }

    /// Registers `contract` with a factory of an implementation: one object in each scope.
    public func scoped<Contract: Sendable>(
        _ contract: Contract.Type,
        _ factory: @escaping @Sendable () -> Contract
    ) {
        register(Registration(.scoped, contract, Dependencies()) { _ in factory() })
    }

    /// Registers `contract` with a factory of an implementation that has dependencies from its scope: one object in each scope.
    public func scoped<Contract: Sendable>(
        _ contract: Contract.Type,
        _ factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        register(Registration(.scoped, contract, factory: factory))
    }

    /// Registers `contract` with the type that implements it: one object in each scope.
    public func scoped<Contract: Sendable>(
        _ contract: Contract.Type,
        _ implementation: Assigned<Contract>
    ) {
        register(Registration(.scoped, contract, assigned: implementation))
    }

    /// Registers a type that creates itself from its scope: one object in each scope.
    public func scoped<Implementation: Resolvable & Sendable>(_ implementation: Implementation.Type) {
        register(Registration(.scoped, implementation, assigned: assigned(implementation)))
    }
}
