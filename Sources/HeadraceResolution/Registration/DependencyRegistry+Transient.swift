//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension DependencyRegistry {
    /// Registers the type that `factory` returns: a new one each time.
    public func transient<Implementation>(
        _ factory: @escaping @Sendable () -> Implementation
    ) {
        register(Registration(transient: Implementation.self, dependencies: Dependencies()) { _ in factory() })
    }

    /// Registers the type that `factory` returns, made with what its scope gives: a new one each time.
    public func transient<Implementation>(
        _ factory: @escaping @Sendable (any DependencyResolutionScope) -> Implementation
    ) {
        register(Registration(transient: Implementation.self, factory: factory))
    }

    /// Registers `contract`, made by a factory of anything that is one: a new one each time.
    public func transient<Contract>(
        _ contract: Contract.Type,
        _ factory: @escaping @Sendable () -> Contract
    ) {
        register(Registration(transient: contract, dependencies: Dependencies()) { _ in factory() })
    }

    /// Registers `contract`, made with what its scope gives by a factory of anything that is one: a new one each time.
    public func transient<Contract>(
        _ contract: Contract.Type,
        _ factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        register(Registration(transient: contract, factory: factory))
    }

    /// Registers `contract` by the type that implements it: a new one each time.
    public func transient<Contract>(
        _ contract: Contract.Type,
        _ implementation: Assigned<Contract>
    ) {
        register(Registration(transient: contract, assigned: implementation))
    }

    /// Registers a type that makes itself out of its scope: a new one each time.
    public func transient<Implementation: Resolvable>(_ implementation: Implementation.Type) {
        register(Registration(transient: implementation, assigned: assigned(implementation)))
    }
}
