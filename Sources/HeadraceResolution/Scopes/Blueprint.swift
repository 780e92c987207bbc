// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// The immutable part of a container, which all of its scopes share.
final class Blueprint: Sendable {
    /// All bindings, in the order of registration.
    let all: [Binding]

    /// The last binding of each type.
    let bindings: TypeTable<Binding>

    /// The bindings of each type that has a set.
    let sets: TypeTable<BindingSet>

    /// The results of checks without creating objects.
    let proof = ResolutionProof()

    /// The facts that modules recorded with the registrations.
    ///
    /// They are collected at each use, because few containers need them.
    var notes: [any RegistrationNote] { registrations.notes }

    private let registrations: any Noted

    /// The outermost scope of the container whose objects this container shares, if any.
    private let lender: ResolutionScope?

    /// Creates a blueprint of the `bindings` of `registrations`, in the order of registration.
    init(_ bindings: [Binding], of registrations: any Noted, keeping lender: ResolutionScope? = nil) {
        self.registrations = registrations
        self.lender = lender
        var sets: [ObjectIdentifier: [Binding]] = [:]
        for binding in bindings where binding.description.member != nil {
            sets[ObjectIdentifier(binding.contract), default: []].append(binding)
        }
        all = bindings
        self.bindings = TypeTable(bindings.map { (ObjectIdentifier($0.contract), $0) })
        self.sets = TypeTable(sets.map { ($0.key, BindingSet($0.value)) })
    }

    /// The bindings that `dependency` resolves to, or `nil` if it is missing and not optional.
    func targets(of dependency: Dependency) -> [Binding]? {
        dependency.targets(single: { bindings[$0] }, members: { sets[$0]?.bindings })
    }
}

/// The bindings that joined the set of one type, in the order of registration.
final class BindingSet: Sendable {
    let bindings: [Binding]

    init(_ bindings: [Binding]) {
        self.bindings = bindings
    }
}
