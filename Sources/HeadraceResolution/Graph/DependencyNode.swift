// SPDX-License-Identifier: Apache-2.0

/// A type in a dependency graph.
package struct DependencyNode: Sendable {
    package enum Kind: Equatable, Sendable {
        /// A registration with this lifetime.
        case registration(Lifetime)

        /// A part that a registered object creates while it is used.
        case part

        /// A dependency that is not registered.
        case missing
    }

    /// The type that is resolved.
    package let contract: Any.Type

    /// The type that is created, if it is known and not the contract.
    package let implementation: Any.Type?

    /// Position of the node in the set of its contract, counting from 1; `nil` if it isn't in a set.
    let member: Int?

    package let kind: Kind

    /// Whether the type may have more dependencies than the edges.
    package let isOpaque: Bool

    /// The dependencies, in the order stated.
    package internal(set) var edges: [DependencyEdge] = []

    /// The time after which another object is created; `nil` if there is none.
    let timeLimit: Duration?

    /// Details of the registration, such as a time limit.
    let details: [String]

    /// The part of a registration that the node stands for, if any.
    let part: RegistrationPart?

    init(
        contract: Any.Type,
        implementation: Any.Type? = nil,
        member: Int? = nil,
        kind: Kind,
        isOpaque: Bool,
        timeLimit: Duration? = nil,
        details: [String] = [],
        part: RegistrationPart? = nil
    ) {
        self.contract = contract
        self.implementation = implementation
        self.member = member
        self.kind = kind
        self.isOpaque = isOpaque
        self.timeLimit = timeLimit
        self.details = details
        self.part = part
    }

    /// The lifetime of a registration.
    var lifetime: Lifetime? {
        if case .registration(let lifetime) = kind { lifetime } else { nil }
    }

    /// The contract, with the details that distinguish this registration from others of the same contract.
    var name: String {
        if let label = part?.label { return "'\(label)'" }
        return TypeSpelling.name(of: contract, madeAs: implementation, member: member)
    }
}

/// A dependency of one node on another.
package struct DependencyEdge: Hashable, Sendable {
    package enum Kind: Sendable {
        /// The dependency must be registered.
        case required

        /// The dependency may be missing.
        case optional

        /// The object creates the target while it is used.
        case later
    }

    /// Index of the target in the nodes of the graph.
    package let target: Int

    package let kind: Kind
}
