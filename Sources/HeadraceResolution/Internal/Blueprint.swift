//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// What a container was built of, beside the bindings that its scopes look up.
final class Blueprint: Sendable {
    /// All that was registered, in order.
    let registrations: [Registration]

    /// The bindings of each type that has a set.
    let sets: TypeTable<MemberBindings>

    /// The last binding of each type.
    let bindings: TypeTable<Binding>

    /// What was proved of the types that were required.
    let proof = ResolutionProof()

    /// Makes bindings of `registrations`, with storage of their own.
    init(_ registrations: [Registration]) {
        var bindings: [(ObjectIdentifier, Binding)] = []
        var sets: [ObjectIdentifier: [Binding]] = [:]
        bindings.reserveCapacity(registrations.count)
        for (index, registration) in registrations.settled.enumerated() {
            let contract = ObjectIdentifier(registration.contract)
            let member = registration.joinsSet ? sets[contract, default: []].count + 1 : nil
            let binding = registration.makeBinding(BindingPlace(registration, member: member, index: index))
            bindings.append((contract, binding))
            if registration.joinsSet { sets[contract, default: []].append(binding) }
        }
        self.registrations = registrations
        self.bindings = TypeTable(bindings)
        self.sets = TypeTable(sets.map { ($0.key, MemberBindings($0.value)) })
    }
}
