//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A resolver that can tell what it is able to make, without making it.
protocol ProvingResolver: DependencyResolver {
    /// Throws if `dependencies` of `subject` can't be resolved; messages name the subject `name`.
    ///
    /// - Returns: Whether the proof holds as long as the container exists, on every thread.
    func check(
        _ dependencies: @autoclosure () -> [Dependency],
        of subject: ResolutionProof.Subject,
        named name: @autoclosure () -> String?
    ) throws(ResolutionError) -> Bool
}

extension DependencyResolver {
    /// Throws if an object of `type` can't be made out of this resolver, because a stated dependency is missing.
    ///
    /// - Parameters:
    ///   - type: The type to make.
    ///   - given: A type that the object gets from elsewhere.
    /// - Returns: Whether the proof holds as long as the container exists, on every thread.
    /// - Throws: ``ResolutionError``.
    @discardableResult
    package func check<Made: Resolvable>(_ type: Made.Type, given: Any.Type? = nil) throws(ResolutionError) -> Bool {
        if let proving = self as? any ProvingResolver {
            // A type that is required and the same type as one that is made are two subjects.
            let subject = ResolutionProof.Subject(
                type: ObjectIdentifier(type),
                given: ObjectIdentifier(given ?? Never.self)
            )
            return try proving.check(
                type.ownDependencies.stated.filter { $0.contract != given },
                of: subject,
                named: TypeNames.full(type)
            )
        }
        for dependency in type.ownDependencies.stated where !dependency.isOptional && dependency.contract != given {
            guard gives(dependency.contract) else {
                throw ResolutionFailure.missing(dependency.contract, neededBy: [TypeNames.full(type)]).error
            }
        }
        return false
    }

    /// Whether something is registered for `type`.
    private func gives<T>(_ type: T.Type) -> Bool {
        tryResolve(type) != nil
    }
}
