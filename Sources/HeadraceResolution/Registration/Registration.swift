//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A registered type: how its objects are created, from which dependencies, and how long they are kept.
///
/// The registration forms of ``DependencyRegistry`` create registrations; your own registry stores them.
public struct Registration: Sendable {
    typealias Factory<Contract> = @Sendable (any DependencyResolutionScope) -> Contract

    /// The type that is resolved.
    public let contract: Any.Type

    /// How long an object is kept and returned again.
    public let lifetime: Lifetime

    /// The types that the factory resolves from its scope.
    public private(set) var dependencies: Dependencies

    /// Whether this registration joins a set, and doesn't replace an earlier registration of the same type.
    public private(set) var joinsSet = false

    /// The type that is created, if it is known and not ``contract``.
    package var implementation: Any.Type?

    /// Types that the object creates in its scope later, while it is used, without a registration.
    package var parts: [RegistrationPart] = []

    /// Facts that the registering module checks with the graph.
    package var notes: [any RegistrationNote] = []

    /// Makes the binding of a container, with separate storage for shared objects.
    private var makeBinding: @Sendable (BindingDescription) -> Binding

    /// Replaces dependencies and binding in a container in which the assigned implementation is registered.
    private var delegation: Delegation?

    private struct Delegation: Sendable {
        let implementation: Any.Type
        let dependencies: Dependencies
        let makeBinding: @Sendable (BindingDescription) -> Binding
    }

    /// Records that `factory` makes a `Contract` from `dependencies` each time it is resolved.
    public init<Contract>(
        transient contract: Contract.Type,
        dependencies: Dependencies = .unknown,
        factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        self.init(.transient, contract, dependencies, factory: factory)
    }

    /// Records that `factory` makes a `Contract` from `dependencies` once for each scope.
    public init<Contract: Sendable>(
        scoped contract: Contract.Type,
        dependencies: Dependencies = .unknown,
        factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        self.init(.scoped, contract, dependencies, factory: factory)
    }

    /// Records that `factory` makes a `Contract` from `dependencies` once, in the outermost scope.
    public init<Contract: Sendable>(
        singleton contract: Contract.Type,
        dependencies: Dependencies = .unknown,
        factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        self.init(.singleton, contract, dependencies, factory: factory)
    }

    /// Records that `factory` makes a `Contract` with any lifetime.
    ///
    /// The caller ensures that a shared `Contract` is `Sendable`.
    init<Contract>(
        _ lifetime: Lifetime,
        _ contract: Contract.Type,
        _ dependencies: Dependencies = .unknown,
        factory: @escaping Factory<Contract>
    ) {
        self.lifetime = lifetime
        self.contract = contract
        self.dependencies = dependencies
        makeBinding = { TypedBinding(lifetime.kind, $0, factory) }
    }

    /// Records that `factory` makes a `Contract` on the main actor.
    init<Contract>(
        _ lifetime: Lifetime,
        _ contract: Contract.Type,
        _ dependencies: Dependencies,
        on actor: MainActor.Type,
        factory: @escaping @MainActor (any DependencyResolutionScope) -> Contract
    ) {
        let factory = MainActorBinding<Contract>.withoutIsolation(factory)
        self.init(lifetime, contract, dependencies, factory: factory)
        makeBinding = { MainActorBinding(TypedBinding(lifetime.kind, $0, factory)) }
    }

    /// Records that `assigned` makes a `Contract`, or resolves its implementation if the container has a registration of it.
    init<Contract>(_ lifetime: Lifetime, _ contract: Contract.Type, assigned: Assigned<Contract>) {
        var assignment = Assignment()
        let factory = assigned(&assignment)
        self.init(lifetime, contract, assignment.dependencies, factory: factory)
        guard let implementation = assignment.implementation, implementation != contract else { return }

        self.implementation = implementation
        var resolving = Assignment(isRegistered: true)
        let resolve = assigned(&resolving)
        delegation = Delegation(
            implementation: implementation,
            dependencies: resolving.dependencies,
            makeBinding: { TypedBinding(lifetime.kind, $0, resolve) }
        )
    }

    /// Returns the same registration as a member of the set that ``DependencyResolver/resolveAll(_:)`` returns.
    public func joiningSet() -> Registration {
        var copy = self
        copy.joinsSet = true
        return copy
    }

    /// The registration as it is in a container in which `types` are registered.
    fileprivate func settled(among types: Set<ObjectIdentifier>) -> Registration {
        guard let delegation, types.contains(ObjectIdentifier(delegation.implementation)) else { return self }
        var copy = self
        copy.dependencies = delegation.dependencies
        copy.makeBinding = delegation.makeBinding
        copy.implementation = nil
        return copy
    }

    fileprivate func binding(member: Int?, index: Int) -> Binding {
        makeBinding(
            BindingDescription(
                contract: contract,
                implementation: implementation,
                member: member,
                dependencies: dependencies,
                index: index
            )
        )
    }
}

extension [Registration] {
    /// The registrations as one container uses them: an assigned type with a registration is resolved, not created.
    var settled: [Registration] {
        let types = Set(map { ObjectIdentifier($0.contract) })
        return map { $0.settled(among: types) }
    }

    /// Makes the bindings of one container, with separate storage for shared objects.
    func makeBindings() -> [Binding] {
        var members: [ObjectIdentifier: Int] = [:]
        return settled.enumerated().map { index, registration in
            guard registration.joinsSet else { return registration.binding(member: nil, index: index) }
            let member = members[ObjectIdentifier(registration.contract), default: 0] + 1
            members[ObjectIdentifier(registration.contract)] = member
            return registration.binding(member: member, index: index)
        }
    }
}
