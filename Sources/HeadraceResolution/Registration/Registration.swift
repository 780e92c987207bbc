//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a registry records of one type: how it is made, out of what, and how long it is kept.
///
/// The registration forms of ``DependencyRegistry`` make these; a registry of your own stores them.
public struct Registration: Sendable {
    /// The type that is resolved.
    public let contract: Any.Type

    /// How long an object that was made is given again.
    public let lifetime: Lifetime

    /// What the factory takes from its scope.
    public private(set) var dependencies: Dependencies

    /// Whether this adds to what is registered of the same type, and does not replace it.
    public private(set) var joinsSet = false

    /// The type that is made, where it is known and another than ``contract``.
    package var implementation: Any.Type?

    /// What the object makes in its scope later, while it is used, without a registration.
    package var parts: [RegistrationPart] = []

    /// What those who registered want to have checked.
    package var notes: [any RegistrationNote] = []

    /// Makes the binding that a container keeps, with separate storage for shared objects.
    private(set) var makeBinding: @Sendable (BindingPlace) -> Binding

    /// Replaces dependencies and binding in a container in which the assigned implementation is registered.
    private var delegation: Delegation?

    private struct Delegation: Sendable {
        let implementation: Any.Type
        let dependencies: Dependencies
        let makeBinding: @Sendable (BindingPlace) -> Binding
    }

    /// Records that `factory` makes a `Contract` each time one is resolved, out of `dependencies`.
    public init<Contract>(
        transient contract: Contract.Type,
        dependencies: Dependencies = .unknown,
        factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        self.init(.transient, contract, dependencies) { TransientBinding($0, factory) }
    }

    /// Records that `factory` makes a `Contract` once for each scope, out of `dependencies`.
    public init<Contract: Sendable>(
        scoped contract: Contract.Type,
        dependencies: Dependencies = .unknown,
        factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        self.init(.scoped, contract, dependencies) { ScopedBinding($0, factory) }
    }

    /// Records that `factory` makes a `Contract` once, in the outermost scope, out of `dependencies`.
    public init<Contract: Sendable>(
        singleton contract: Contract.Type,
        dependencies: Dependencies = .unknown,
        factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        self.init(.singleton, contract, dependencies) { SingletonBinding($0, factory) }
    }

    /// Records a binding of one's own.
    init(
        _ lifetime: Lifetime,
        _ contract: Any.Type,
        _ dependencies: Dependencies,
        makeBinding: @escaping @Sendable (BindingPlace) -> Binding
    ) {
        self.lifetime = lifetime
        self.contract = contract
        self.dependencies = dependencies
        self.makeBinding = makeBinding
    }

    /// The same registration, as one of several that ``DependencyResolver/resolveAll(_:)`` gives together.
    public func joiningSet() -> Registration {
        var copy = self
        copy.joinsSet = true
        return copy
    }
}

extension Registration {
    init<Contract>(transient contract: Contract.Type, assigned implementation: Assigned<Contract>) {
        self.init(contract, implementation) { Registration(transient: contract, dependencies: $0, factory: $1) }
    }

    init<Contract: Sendable>(scoped contract: Contract.Type, assigned implementation: Assigned<Contract>) {
        self.init(contract, implementation) { Registration(scoped: contract, dependencies: $0, factory: $1) }
    }

    init<Contract: Sendable>(singleton contract: Contract.Type, assigned implementation: Assigned<Contract>) {
        self.init(contract, implementation) { Registration(singleton: contract, dependencies: $0, factory: $1) }
    }

    /// Records `assigned`, which `make` registers; if it makes another type, also how that type is resolved instead.
    private init<Contract>(
        _ contract: Contract.Type,
        _ assigned: Assigned<Contract>,
        make: (Dependencies, @escaping @Sendable (any DependencyResolutionScope) -> Contract) -> Registration
    ) {
        var assignment = Assignment()
        let factory = assigned(&assignment)
        self = make(assignment.dependencies, factory)
        guard let implementation = assignment.implementation, implementation != contract else { return }

        self.implementation = implementation
        var resolving = Assignment(isRegistered: true)
        let resolve = assigned(&resolving)
        let other = make(resolving.dependencies, resolve)
        delegation = Delegation(
            implementation: implementation,
            dependencies: other.dependencies,
            makeBinding: other.makeBinding
        )
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
}

extension [Registration] {
    /// The registrations as one container uses them: an assigned type with a registration is resolved, not made.
    var settled: [Registration] {
        let types = Set(map { ObjectIdentifier($0.contract) })
        return map { $0.settled(among: types) }
    }
}
