//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Objects that only the main actor may touch, such as a `ModelContext` of SwiftData.
///
/// ```swift
/// builder.transient(on: MainActor.self) { modelContext }
/// ```
///
/// The factory may capture what is not `Sendable` and belongs to the main actor, and what it makes need not be
/// `Sendable` even where it is shared. Resolving it on the main actor is synchronous. Resolving it elsewhere stops the
/// program with a message, by `resolve` as by `tryResolve`: `nil` would say that it is not registered. The same
/// goes for whatever takes it.
///
/// The compiler believes that what `resolve` gives is new and may go anywhere. What a main-actor factory gives is not:
/// keep it on the main actor.
extension DependencyRegistry {
    /// Registers the type that `factory` returns, made on the main actor: a new one each time.
    public func transient<Implementation>(
        on actor: MainActor.Type,
        _ factory: @escaping @MainActor () -> Implementation
    ) {
        transient(Implementation.self, on: actor, factory)
    }

    /// Registers the type that `factory` returns, made on the main actor with what its scope gives: a new one each time.
    public func transient<Implementation>(
        on actor: MainActor.Type,
        _ factory: @escaping @MainActor (any DependencyResolutionScope) -> Implementation
    ) {
        transient(Implementation.self, on: actor, factory)
    }

    /// Registers `contract`, made on the main actor by a factory of anything that is one: a new one each time.
    public func transient<Contract>(
        _ contract: Contract.Type,
        on actor: MainActor.Type,
        _ factory: @escaping @MainActor () -> Contract
    ) {
        register(Registration(transient: contract, dependencies: Dependencies(), on: actor) { _ in factory() })
    }

    /// Registers `contract`, made on the main actor with what its scope gives: a new one each time.
    public func transient<Contract>(
        _ contract: Contract.Type,
        on actor: MainActor.Type,
        _ factory: @escaping @MainActor (any DependencyResolutionScope) -> Contract
    ) {
        register(Registration(transient: contract, dependencies: .unknown, on: actor, factory: factory))
    }

    /// Registers the type that `factory` returns, made on the main actor: one in each scope.
    public func scoped<Implementation>(
        on actor: MainActor.Type,
        _ factory: @escaping @MainActor () -> Implementation
    ) {
        scoped(Implementation.self, on: actor, factory)
    }

    /// Registers the type that `factory` returns, made on the main actor with what its scope gives: one in each scope.
    public func scoped<Implementation>(
        on actor: MainActor.Type,
        _ factory: @escaping @MainActor (any DependencyResolutionScope) -> Implementation
    ) {
        scoped(Implementation.self, on: actor, factory)
    }

    /// Registers `contract`, made on the main actor by a factory of anything that is one: one in each scope.
    public func scoped<Contract>(
        _ contract: Contract.Type,
        on actor: MainActor.Type,
        _ factory: @escaping @MainActor () -> Contract
    ) {
        register(Registration(scoped: contract, dependencies: Dependencies(), on: actor) { _ in factory() })
    }

    /// Registers `contract`, made on the main actor with what its scope gives: one in each scope.
    public func scoped<Contract>(
        _ contract: Contract.Type,
        on actor: MainActor.Type,
        _ factory: @escaping @MainActor (any DependencyResolutionScope) -> Contract
    ) {
        register(Registration(scoped: contract, dependencies: .unknown, on: actor, factory: factory))
    }

    /// Registers the type that `factory` returns, made on the main actor: one in the container.
    public func singleton<Implementation>(
        on actor: MainActor.Type,
        _ factory: @escaping @MainActor () -> Implementation
    ) {
        singleton(Implementation.self, on: actor, factory)
    }

    /// Registers the type that `factory` returns, made on the main actor with what its scope gives: one for all.
    public func singleton<Implementation>(
        on actor: MainActor.Type,
        _ factory: @escaping @MainActor (any DependencyResolutionScope) -> Implementation
    ) {
        singleton(Implementation.self, on: actor, factory)
    }

    /// Registers `contract`, made on the main actor by a factory of anything that is one: one in the container.
    public func singleton<Contract>(
        _ contract: Contract.Type,
        on actor: MainActor.Type,
        _ factory: @escaping @MainActor () -> Contract
    ) {
        register(Registration(singleton: contract, dependencies: Dependencies(), on: actor) { _ in factory() })
    }

    /// Registers `contract`, made on the main actor with what its scope gives: one for all.
    public func singleton<Contract>(
        _ contract: Contract.Type,
        on actor: MainActor.Type,
        _ factory: @escaping @MainActor (any DependencyResolutionScope) -> Contract
    ) {
        register(Registration(singleton: contract, dependencies: .unknown, on: actor, factory: factory))
    }
}
