//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One thing in a ``DependencyGraph``: what is registered, a part of it, or what is missing.
package struct DependencyNode: Sendable {
    package enum Kind: Equatable, Sendable {
        /// A registration with this lifetime.
        case registration(Lifetime)

        /// Something that a registered object makes while it is used.
        case part

        /// Something that is needed and not registered.
        case missing
    }

    /// The type that is resolved.
    package let contract: Any.Type

    /// The type that is made, where it is known and another.
    package let implementation: Any.Type?

    /// Its place in the set of its contract, counting from 1, if it joined one.
    let member: Int?

    package let kind: Kind

    /// Whether it takes more than its edges tell.
    package let isOpaque: Bool

    /// What it takes, in the order stated.
    package internal(set) var edges: [DependencyEdge] = []

    /// The part of a registration that the node stands for, if it does.
    let part: RegistrationPart?

    init(
        contract: Any.Type,
        implementation: Any.Type? = nil,
        member: Int? = nil,
        kind: Kind,
        isOpaque: Bool,
        part: RegistrationPart? = nil
    ) {
        self.contract = contract
        self.implementation = implementation
        self.member = member
        self.kind = kind
        self.isOpaque = isOpaque
        self.part = part
    }

    /// The contract, with what tells this registration from others of the same contract.
    var name: String {
        if let label = part?.label { return "'\(label)'" }
        return TypeNames.name(of: contract, madeAs: implementation, member: member)
    }
}

/// One node's need of another.
package struct DependencyEdge: Hashable, Sendable {
    package enum Kind: Sendable {
        /// It takes the other, or is not made.
        case required

        /// It takes the other where there is one.
        case optional

        /// It makes the other while it is used.
        case later
    }

    /// The place of the other in the graph.
    package let target: Int

    package let kind: Kind
}
