// SPDX-License-Identifier: Apache-2.0

/// An implementation in a registration: `builder.singleton((any Mailer).self, assigned(SmtpMailer.self))`.
///
/// It is a function that returns the factory. Swift converts a function that returns an implementation to a function that
/// returns the contract, and so checks at compile time that the implementation conforms to the contract. A generic type
/// couldn't be converted.
public typealias Assigned<Contract> =
    (_ assignment: inout Assignment) -> @Sendable (any DependencyResolutionScope) -> Contract

/// The facts about an assigned implementation that a registration needs.
///
/// Only `assigned(_:)` and `closure(needs:factory:)` write it.
public struct Assignment: Sendable {
    /// The implementation.
    fileprivate(set) var implementation: Any.Type?

    /// The types that the factory resolves from its scope.
    var dependencies = Dependencies.unknown

    /// Whether the implementation has a registration in the container.
    fileprivate let isRegistered: Bool

    init(isRegistered: Bool = false) {
        self.isRegistered = isRegistered
    }
}

/// Returns an assignment that resolves `implementation`, which has a registration.
///
/// ```swift
/// builder.singleton(SmtpMailer.init)
/// builder.transient((any Mailer).self, assigned(SmtpMailer.self))
/// ```
public func assigned<T>(_ implementation: T.Type) -> Assigned<T> {
    { assignment in
        assignment.dependencies = Dependencies().on(T.self)
        return { $0.resolve(T.self) }
    }
}

/// Returns an assignment that resolves `implementation`, or creates it if it isn't registered.
///
/// ```swift
/// builder.transient((any Mailer).self, assigned(ResolvableMailer.self))
/// ```
///
/// If the same container has a registration of `implementation`, it is used with its lifetime and its overrides. Otherwise
/// the type creates itself, with the lifetime of the contract.
public func assigned<T: Resolvable>(_ implementation: T.Type) -> Assigned<T> {
    { assignment in
        assignment.implementation = T.self
        if assignment.isRegistered {
            assignment.dependencies = Dependencies().on(T.self)
            return { $0.resolve(T.self) }
        }
        assignment.dependencies = T.ownDependencies
        return { T(scope: $0) }
    }
}

/// States the dependencies of a closure that resolves by hand, so that they can be checked.
///
/// ```swift
/// builder.singleton((any Store).self, closure(needs: Cache.self) { scope in DiskStore(scope.resolve()) })
/// ```
///
/// Other types that the closure resolves are not checked. If the parameters of a function are the dependencies, register the
/// function: `builder.singleton((any Store).self, DiskStore.init)`.
///
/// - Parameters:
///   - needs: The types that the closure resolves.
///   - factory: Makes the object.
/// - Returns: The argument of a registration form after the contract.
public func closure<Contract, each Needed>(
    needs: repeat (each Needed).Type,
    factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
) -> Assigned<Contract> {
    let dependencies = Dependencies(on: repeat each needs)
    return { assignment in
        assignment.dependencies = dependencies
        return factory
    }
}
