//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Where a binding stands in its container, and what messages say of it.
struct BindingPlace: Sendable {
    /// The type that the binding resolves.
    let contract: Any.Type

    /// The type that the factory makes, if it is known and not the contract.
    let implementation: Any.Type?

    /// The place of the binding in the set of its contract, counting from 1, if it joined one.
    let member: Int?

    /// The dependencies of the factory.
    let dependencies: Dependencies

    /// The place of the registration among all registrations of the container, counting from 0.
    let index: Int

    init(
        contract: Any.Type,
        implementation: Any.Type? = nil,
        member: Int? = nil,
        dependencies: Dependencies = .unknown,
        index: Int = 0
    ) {
        self.contract = contract
        self.implementation = implementation
        self.member = member
        self.dependencies = dependencies
        self.index = index
    }

    init(_ registration: Registration, member: Int?, index: Int) {
        self.init(
            contract: registration.contract,
            implementation: registration.implementation,
            member: member,
            dependencies: registration.dependencies,
            index: index
        )
    }

    /// The contract, with what tells this registration from others of the same contract.
    var name: String {
        TypeNames.name(of: contract, madeAs: implementation, member: member)
    }
}
