// SPDX-License-Identifier: Apache-2.0

/// Objects that only the main actor may use, such as a `ModelContext` of SwiftData.
///
/// ```swift
/// builder.transient(on: MainActor.self) { modelContext }
/// ```
///
/// The factory may capture values that aren't `Sendable` and belong to the main actor, and its object doesn't have to be
/// `Sendable` even if it is shared. On the main actor, resolving it is synchronous. Elsewhere, resolving it or an object that
/// depends on it stops the program with a message. This holds for `tryResolve` as well, because `nil` would mean that the
/// type isn't registered.
///
/// The compiler assumes that a resolved object is new and may be sent anywhere. An object of a main-actor factory isn't new:
/// keep it on the main actor.
extension DependencyRegistry {
    /// Registers `contract`, by default the type that `factory` returns, on the main actor: a new object each time.
    public func transient<Contract>(
        _ contract: Contract.Type = Contract.self,
        on actor: MainActor.Type,
        _ factory: @escaping @MainActor () -> Contract
    ) {
        register(Registration(.transient, contract, Dependencies(), on: actor) { _ in factory() })
    }

    /// Registers `contract`, by default the type that `factory` returns, on the main actor and with dependencies from its
    /// scope: a new object each time.
    public func transient<Contract>(
        _ contract: Contract.Type = Contract.self,
        on actor: MainActor.Type,
        _ factory: @escaping @MainActor (any DependencyResolutionScope) -> Contract
    ) {
        register(Registration(.transient, contract, .unknown, on: actor, factory: factory))
    }

    /// Registers `contract`, by default the type that `factory` returns, on the main actor: one object in each scope.
    public func scoped<Contract>(
        _ contract: Contract.Type = Contract.self,
        on actor: MainActor.Type,
        _ factory: @escaping @MainActor () -> Contract
    ) {
        register(Registration(.scoped, contract, Dependencies(), on: actor) { _ in factory() })
    }

    /// Registers `contract`, by default the type that `factory` returns, on the main actor and with dependencies from its
    /// scope: one object in each scope.
    public func scoped<Contract>(
        _ contract: Contract.Type = Contract.self,
        on actor: MainActor.Type,
        _ factory: @escaping @MainActor (any DependencyResolutionScope) -> Contract
    ) {
        register(Registration(.scoped, contract, .unknown, on: actor, factory: factory))
    }

    /// Registers `contract`, by default the type that `factory` returns, on the main actor: one object in the container.
    public func singleton<Contract>(
        _ contract: Contract.Type = Contract.self,
        on actor: MainActor.Type,
        _ factory: @escaping @MainActor () -> Contract
    ) {
        register(Registration(.singleton, contract, Dependencies(), on: actor) { _ in factory() })
    }

    /// Registers `contract`, by default the type that `factory` returns, on the main actor and with dependencies from its
    /// scope: one object in the container.
    public func singleton<Contract>(
        _ contract: Contract.Type = Contract.self,
        on actor: MainActor.Type,
        _ factory: @escaping @MainActor (any DependencyResolutionScope) -> Contract
    ) {
        register(Registration(.singleton, contract, .unknown, on: actor, factory: factory))
    }
}
