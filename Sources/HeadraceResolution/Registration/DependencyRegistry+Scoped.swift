//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension DependencyRegistry {
    /// Registers the type that `factory` returns: one in each scope.
    public func scoped<Implementation: Sendable>(
        _ factory: @escaping @Sendable () -> Implementation
    ) {
        register(Registration(scoped: Implementation.self, dependencies: Dependencies()) { _ in factory() })
    }

    /// Registers the type that `factory` returns, made with what its scope gives: one in each scope.
    public func scoped<Implementation: Sendable>(
        _ factory: @escaping @Sendable (any DependencyResolutionScope) -> Implementation
    ) {
        register(Registration(scoped: Implementation.self, factory: factory))
    }

    /// Registers `contract`, made by a factory of anything that is one: one in each scope.
    public func scoped<Contract: Sendable>(
        _ contract: Contract.Type,
        _ factory: @escaping @Sendable () -> Contract
    ) {
        register(Registration(scoped: contract, dependencies: Dependencies()) { _ in factory() })
    }

    /// Registers `contract`, made with what its scope gives by a factory of anything that is one: one in each scope.
    public func scoped<Contract: Sendable>(
        _ contract: Contract.Type,
        _ factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        register(Registration(scoped: contract, factory: factory))
    }

    /// Registers `contract` by the type that implements it: one in each scope.
    public func scoped<Contract: Sendable>(
        _ contract: Contract.Type,
        _ implementation: Assigned<Contract>
    ) {
        register(Registration(scoped: contract, assigned: implementation))
    }

    /// Registers a type that makes itself out of its scope: one in each scope.
    public func scoped<Implementation: Resolvable & Sendable>(_ implementation: Implementation.Type) {
        register(Registration(scoped: implementation, assigned: assigned(implementation)))
    }
}
