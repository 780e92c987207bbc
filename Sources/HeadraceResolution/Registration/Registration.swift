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
    public let dependencies: Dependencies

    /// Whether this adds to what is registered of the same type, and does not replace it.
    public private(set) var joinsSet = false

    /// The type that is made, where it is known and another than ``contract``.
    package var implementation: Any.Type?

    /// What the object makes in its scope later, while it is used, without a registration.
    package var parts: [RegistrationPart] = []

    /// What those who registered want to have checked.
    package var notes: [any RegistrationNote] = []

    /// Makes the binding that a container keeps, with storage of its own for what is shared.
    ///
    /// `scopedIndex` is the place of a scoped object in its scope.
    let makeBinding: @Sendable (_ scopedIndex: Int) -> Binding

    /// Records that `factory` makes a `Contract` each time one is resolved, out of `dependencies`.
    public init<Contract>(
        transient contract: Contract.Type,
        dependencies: Dependencies = .unknown,
        factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        self.init(.transient, contract, dependencies) { _ in TransientBinding(factory) }
    }

    /// Records that `factory` makes a `Contract` once for each scope, out of `dependencies`.
    public init<Contract: Sendable>(
        scoped contract: Contract.Type,
        dependencies: Dependencies = .unknown,
        factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        self.init(.scoped, contract, dependencies) { ScopedBinding(index: $0, factory) }
    }

    /// Records that `factory` makes a `Contract` once, in the outermost scope, out of `dependencies`.
    public init<Contract: Sendable>(
        singleton contract: Contract.Type,
        dependencies: Dependencies = .unknown,
        factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        self.init(.singleton, contract, dependencies) { _ in SingletonBinding(factory) }
    }

    /// Records a binding of one's own.
    init(
        _ lifetime: Lifetime,
        _ contract: Any.Type,
        _ dependencies: Dependencies,
        makeBinding: @escaping @Sendable (_ scopedIndex: Int) -> Binding
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
        var assignment = Assignment()
        let factory = implementation(&assignment)
        self.init(transient: contract, dependencies: assignment.dependencies, factory: factory)
        self.implementation = assignment.implementation.flatMap { $0 == contract ? nil : $0 }
    }

    init<Contract: Sendable>(scoped contract: Contract.Type, assigned implementation: Assigned<Contract>) {
        var assignment = Assignment()
        let factory = implementation(&assignment)
        self.init(scoped: contract, dependencies: assignment.dependencies, factory: factory)
        self.implementation = assignment.implementation.flatMap { $0 == contract ? nil : $0 }
    }

    init<Contract: Sendable>(singleton contract: Contract.Type, assigned implementation: Assigned<Contract>) {
        var assignment = Assignment()
        let factory = implementation(&assignment)
        self.init(singleton: contract, dependencies: assignment.dependencies, factory: factory)
        self.implementation = assignment.implementation.flatMap { $0 == contract ? nil : $0 }
    }
}
