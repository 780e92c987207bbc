// SPDX-License-Identifier: Apache-2.0

// The closures wrap each object in `Named`, the type under which the container knows it.

extension DependencyRegistry {
    /// Registers `contract` with `name`: a new object each time.
    public func transient<Contract, Name: DependencyName>(
        _ contract: Contract.Type = Contract.self,
        named name: Name.Type,
        _ factory: @escaping @Sendable () -> Contract
    ) {
        transient(Named<Name, Contract>.self) { Named(factory()) }
    }

    /// Registers `contract` with `name` and an initializer, with each parameter resolved: a new object each time.
    public func transient<Contract, Name: DependencyName, First, each Parameter>(
        _ contract: Contract.Type = Contract.self,
        named name: Name.Type,
        _ initializer: @escaping @Sendable (First, repeat each Parameter) -> Contract
    ) {
        transient(Named<Name, Contract>.self) { (first: First, parameter: repeat each Parameter) in
            Named(initializer(first, repeat each parameter))
        }
    }

    /// Registers `contract` with `name`: one object in each scope.
    public func scoped<Contract: Sendable, Name: DependencyName>(
        _ contract: Contract.Type = Contract.self,
        named name: Name.Type,
        _ factory: @escaping @Sendable () -> Contract
    ) {
        scoped(Named<Name, Contract>.self) { Named(factory()) }
    }

    /// Registers `contract` with `name` and an initializer, with each parameter resolved: one object in each scope.
    public func scoped<Contract: Sendable, Name: DependencyName, First, each Parameter>(
        _ contract: Contract.Type = Contract.self,
        named name: Name.Type,
        _ initializer: @escaping @Sendable (First, repeat each Parameter) -> Contract
    ) {
        scoped(Named<Name, Contract>.self) { (first: First, parameter: repeat each Parameter) in
            Named(initializer(first, repeat each parameter))
        }
    }

    /// Registers `contract` with `name`: one object in the container.
    public func singleton<Contract: Sendable, Name: DependencyName>(
        _ contract: Contract.Type = Contract.self,
        named name: Name.Type,
        _ factory: @escaping @Sendable () -> Contract
    ) {
        singleton(Named<Name, Contract>.self) { Named(factory()) }
    }

    /// Registers `contract` with `name` and an initializer, with each parameter resolved: one object in the container.
    public func singleton<Contract: Sendable, Name: DependencyName, First, each Parameter>(
        _ contract: Contract.Type = Contract.self,
        named name: Name.Type,
        _ initializer: @escaping @Sendable (First, repeat each Parameter) -> Contract
    ) {
        singleton(Named<Name, Contract>.self) { (first: First, parameter: repeat each Parameter) in
            Named(initializer(first, repeat each parameter))
        }
    }
}
