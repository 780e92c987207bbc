// SPDX-License-Identifier: Apache-2.0

/// A resolver of a container, which can check whether a type can be resolved, without creating an object.
protocol ProvingResolver: DependencyResolver {
    /// The number of the container, which no other container of the process has.
    var containerNumber: UInt { get }

    /// The scope that resolves; `nil` if the container is gone.
    var base: ResolutionScope? { get }
}

extension ProvingResolver {
    /// Throws if `dependencies` of `subject` can't be resolved.
    ///
    /// Messages call the subject `name`.
    ///
    /// - Returns: Whether the result holds as long as the container exists, on every thread.
    func check(
        _ dependencies: @autoclosure () -> [Dependency],
        of subject: ProofSubject,
        named name: @autoclosure () -> String?
    ) throws(ResolutionError) -> Bool {
        guard let base else { throw ResolutionFailure.released.error }
        return try base.blueprint.proof.check(dependencies(), of: subject, named: name(), in: base)
    }
}

/// A type whose dependencies are checked, and the type of a dependency that the caller supplies.
struct ProofSubject: Hashable {
    let type: ObjectIdentifier
    let given: ObjectIdentifier?
}

extension DependencyResolver {
    /// The number of the container that the resolver belongs to; 0 if it belongs to none.
    package var containerNumber: UInt {
        (self as? any ProvingResolver)?.containerNumber ?? 0
    }

    /// The facts that modules recorded with the registrations of the container; empty if this isn't a container or a scope of one.
    package var registrationNotes: [any RegistrationNote] {
        (self as? any ProvingResolver)?.base?.blueprint.registrations.notes ?? []
    }

    /// Throws if an object of `type` can't be created from this resolver because a stated dependency is missing.
    ///
    /// - Parameters:
    ///   - type: The type to create.
    ///   - given: A type that the object receives from elsewhere.
    /// - Returns: Whether the result holds as long as the container exists, on every thread.
    /// - Throws: ``ResolutionError``.
    @discardableResult
    package func check<Made: Resolvable>(_ type: Made.Type, given: Any.Type? = nil) throws(ResolutionError) -> Bool {
        if let proving = self as? any ProvingResolver {
            // A required type has no given type. `Never` makes a type that is created a different subject.
            let subject = ProofSubject(
                type: ObjectIdentifier(type),
                given: ObjectIdentifier(given ?? Never.self)
            )
            return try proving.check(
                type.ownDependencies.stated.filter { $0.contract != given },
                of: subject,
                named: TypeSpelling.full(type)
            )
        }
        for dependency in type.ownDependencies.stated where !dependency.isOptional && dependency.contract != given {
            guard canResolve(dependency.contract) else {
                throw ResolutionFailure.missing(dependency.contract, neededBy: [TypeSpelling.full(type)]).error
            }
        }
        return false
    }

    /// Whether something is registered for `type`.
    private func canResolve<T>(_ type: T.Type) -> Bool {
        tryResolve(type) != nil
    }
}
