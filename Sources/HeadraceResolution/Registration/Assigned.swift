//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Stands for an implementation in a registration: `builder.singleton((any Mailer).self, assigned(SmtpMailer.self))`.
///
/// It is a function, not a box, because Swift converts a function that returns an implementation to
/// one that returns the contract, and so checks at compile time that the one is the other. It gives the factory.
public typealias Assigned<Contract> =
    (_ assignment: inout Assignment) -> @Sendable (any DependencyResolutionScope) -> Contract

/// What a registration learns of an assigned implementation.
///
/// Only `assigned(_:)` and `opaque(needs:factory:)` write it.
public struct Assignment: Sendable {
    /// The implementation.
    fileprivate(set) var implementation: Any.Type?

    /// What the factory takes from its scope.
    var dependencies = Dependencies.unknown

    /// Whether the implementation has a registration in the container.
    fileprivate let isRegistered: Bool

    init(isRegistered: Bool = false) {
        self.isRegistered = isRegistered
    }
}

/// Gives the contract by resolving `implementation`, which is registered on its own.
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

/// Gives the contract by resolving `implementation`, or by making it if it is not registered.
///
/// ```swift
/// builder.transient((any Mailer).self, assigned(ResolvableMailer.self))
/// ```
///
/// A registration of `implementation` in the same container is used: its lifetime, and what overrides it. Without one
/// the type makes itself, with the lifetime of the contract.
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
