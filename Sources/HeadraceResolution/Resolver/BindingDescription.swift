// SPDX-License-Identifier: Apache-2.0

/// A registration as its container knows it: the types, the dependencies, and the position.
struct BindingDescription: Sendable {
    /// The type that the binding resolves.
    let contract: Any.Type

    /// The type that the factory makes, if it is known and not the contract.
    var implementation: Any.Type?

    /// Position of the binding in the set of its contract, counting from 1; `nil` if it isn't in a set.
    var member: Int?

    /// The dependencies of the factory.
    var dependencies = Dependencies.unknown

    /// The dependencies of the factories that use the scope of the object.
    var dependenciesOfFactories: [Dependency] = []

    /// Position of the registration among all registrations of the container, counting from 0.
    var index = 0

    /// The contract, with the details that distinguish this registration from others of the same contract.
    var name: String {
        TypeSpelling.name(of: contract, madeAs: implementation, member: member)
    }
}
